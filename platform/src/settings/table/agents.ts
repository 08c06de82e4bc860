/** Settings of agents and of the clusters they run in. */
export const agentSettings = {
  "agent-image": {
    default: "rancher/rancher-agent:head",
    kind: { type: "text" },
    about: "Image of the cluster agent",
  },
  "agent-tls-mode": {
    default: "strict",
    upgradeDefault: "system-store",
    kind: { type: "choice", choices: ["strict", "system-store"] },
    about:
      "Whether agents trust cacerts alone (strict) or the machine's certificates too; strict needs AgentTlsStrictCheck True on every cluster or annotation `cattle.io/force=true`",
  },
  "agent-rollout-timeout": {
    default: "300s",
    kind: { type: "duration" },
    about: "How long a rollout of the agent may take",
    followedBy: "nobody yet",
  },
  "crt-default-ttl-minutes": {
    default: "43200",
    kind: { type: "number", unit: "minutes", min: 30 },
    about: "Life of a registration token; above crt-default-grace-period-minutes",
  },
  "crt-default-grace-period-minutes": {
    default: "180",
    kind: { type: "number", unit: "minutes", min: 10 },
    about: "How long a replaced registration token still counts; below crt-default-ttl-minutes",
  },
  "cluster-agent-default-affinity": {
    default: `{
  "nodeAffinity": {
    "requiredDuringSchedulingIgnoredDuringExecution": {
      "nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "NotIn", "values": ["windows"]}]}
      ]
    },
    "preferredDuringSchedulingIgnoredDuringExecution": [
      {"weight": 100, "preference": {"matchExpressions": [
        {"key": "node-role.kubernetes.io/controlplane", "operator": "In", "values": ["true"]}]}},
      {"weight": 100, "preference": {"matchExpressions": [
        {"key": "node-role.kubernetes.io/control-plane", "operator": "In", "values": ["true"]}]}},
      {"weight": 1, "preference": {"matchExpressions": [
        {"key": "cattle.io/cluster-agent", "operator": "In", "values": ["true"]}]}}
    ]
  },
  "podAntiAffinity": {
    "preferredDuringSchedulingIgnoredDuringExecution": [
      {"weight": 100, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchExpressions": [
        {"key": "app", "operator": "In", "values": ["cattle-cluster-agent"]}]}}}
    ]
  }
}`,
    kind: { type: "json" },
    about: "Affinity of the cluster agent's Pods",
  },
  "cluster-agent-default-priority-class": {
    default: '{"preemptionPolicy": "PreemptLowerPriority", "value": 1000000000}',
    kind: { type: "priority-class" },
    about: "PriorityClass of the cluster agent",
    followedBy: "nobody yet",
  },
  "cluster-agent-default-pod-disruption-budget": {
    default: '{"minAvailable": "1", "maxUnavailable": "0"}',
    kind: { type: "pod-disruption-budget" },
    about: "PodDisruptionBudget of the cluster agent",
    followedBy: "nobody yet",
  },
  "fleet-agent-default-affinity": {
    default: `{
  "nodeAffinity": {
    "preferredDuringSchedulingIgnoredDuringExecution": [
      {"weight": 1, "preference": {"matchExpressions": [
        {"key": "fleet.cattle.io/agent", "operator": "In", "values": ["true"]}]}}
    ]
  }
}`,
    kind: { type: "json" },
    about: "Affinity of the fleet agent's Pods",
    followedBy: "nobody yet",
  },
  "fleet-agent-default-priority-class": {
    default: '{"preemptionPolicy": "PreemptLowerPriority", "value": 999999999}',
    kind: { type: "priority-class" },
    about: "PriorityClass of the fleet agent",
    followedBy: "nobody yet",
  },
  "fleet-agent-default-pod-disruption-budget": {
    default: '{"minAvailable": "1", "maxUnavailable": "0"}',
    kind: { type: "pod-disruption-budget" },
    about: "PodDisruptionBudget of the fleet agent",
    followedBy: "nobody yet",
  },
  "ingress-ip-domain": {
    default: "sslip.io",
    kind: { type: "text" },
    about: "Domain whose names resolve to the address they contain",
  },
  "ignore-node-name": {
    default: "",
    kind: { type: "list" },
    about: "Nodes that get no Node object on the server",
  },
  "rotate-certs-if-expiring-in-days": {
    default: "7",
    kind: { type: "number", unit: "days", min: 0 },
    about: "Rest of a certificate's life below which it is rotated",
    followedBy: "nobody yet",
  },
  "imported-cluster-version-management": {
    default: "true",
    kind: { type: "boolean" },
    about: "Whether the server may upgrade Kubernetes of imported clusters",
    followedBy: "nobody yet",
  },
} as const;
