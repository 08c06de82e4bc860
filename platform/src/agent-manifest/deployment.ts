/** What runs of the cluster agent (rancher: pkg/systemtemplate/template.go). Pure. */

import { agentNames, type EnvVar } from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import {
  type Container,
  DaemonSet,
  Deployment,
  type PodSpec,
  type Taint,
  type Toleration,
} from "kopf-ts/kinds";
import { credentialsName } from "./credentials.ts";
import type { AgentInput, PullSecret } from "./input.ts";

const { namespace } = agentNames;
/** Name of the container that connects to the server. */
const containerName = "cluster-register";
const [credentialsVolume, chartsVolume] = ["cattle-credentials", "rancher-charts"];
/** 0500: the agent alone reads them. */
const credentialsMode = 0o500;

/** The agent itself. */
export function deployment(input: AgentInput): Deployment {
  const labels = { app: agentNames.deployment };
  return {
    apiVersion: apiVersionOf(Deployment),
    kind: Deployment.kind,
    metadata: {
      name: agentNames.deployment,
      namespace,
      annotations: { [agentNames.scaleAvailable]: "2" },
    },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(input) },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    },
  };
}

function podSpec(input: AgentInput): PodSpec {
  const { affinity, customization, assetsImage, pullSecrets } = input;
  const { appendTolerations = [], schedulingCustomization } = customization;
  const charts = { name: chartsVolume, emptyDir: {} };
  const secret = { secretName: credentialsName(input), defaultMode: credentialsMode };
  return {
    ...(affinity && { affinity }),
    serviceAccountName: agentNames.serviceAccount,
    tolerations: [...tolerationsFor(input.taints), ...appendTolerations],
    ...(schedulingCustomization?.priorityClass && { priorityClassName: agentNames.priorityClass }),
    ...(assetsImage && { initContainers: [chartsCopy(assetsImage)] }),
    containers: [container(input)],
    ...imagePullSecrets(pullSecrets),
    volumes: [...(assetsImage ? [charts] : []), { name: credentialsVolume, secret }],
  };
}

function chartsCopy(image: string): Container {
  return {
    name: "rancher-charts-copy",
    image,
    imagePullPolicy: "IfNotPresent",
    volumeMounts: [{ name: chartsVolume, mountPath: "/charts" }],
  };
}

function container(input: AgentInput): Container {
  const { agentImage, assetsImage, customization } = input;
  const { overrideResourceRequirements: resources } = customization;
  const mountPath = "/var/lib/rancher-data/local-catalogs/v2";
  return {
    name: containerName,
    image: agentImage,
    imagePullPolicy: "IfNotPresent",
    ...(resources && { resources: resources as NonNullable<Container["resources"]> }), // amounts, as there
    env: variables(input),
    volumeMounts: [
      ...(assetsImage ? [{ name: chartsVolume, mountPath }] : []),
      { name: credentialsVolume, mountPath: "/cattle-credentials", readOnly: true },
    ],
  };
}

type Variable = NonNullable<Container["env"]>[number];

/** The last of a name counts, as for the process itself; the API server refuses two. */
function variables(input: AgentInput): readonly Variable[] {
  const secrets = input.pullSecrets.map(({ name }) => name).join(",");
  const own: readonly EnvVar[] = [
    { name: "CATTLE_FEATURES", value: featureText(input.features) },
    { name: "CATTLE_SERVER", value: input.serverUrl },
    { name: "CATTLE_CA_CHECKSUM", value: input.caChecksum },
    { name: "CATTLE_CLUSTER", value: "true" },
    { name: "CATTLE_K8S_MANAGED", value: "true" },
    { name: "CATTLE_SYSTEM_DEFAULT_REGISTRY", value: input.registry },
    { name: "CATTLE_CREDENTIAL_NAME", value: credentialsName(input) },
    { name: "CATTLE_SUC_APP_NAME_OVERRIDE", value: "" },
    ...(secrets ? [{ name: "CATTLE_AGENT_PULL_SECRETS", value: secrets }] : []),
  ];
  const byName = new Map([...own, ...input.env].map((each) => [each.name ?? "", each]));
  byName.delete("");
  return [...byName].map(([name, { value, valueFrom }]) => ({
    name,
    ...(value && { value }), // an empty one is stored as none
    ...(valueFrom && { valueFrom }),
  }));
}

/** `a=false,b=true`, by name. */
function featureText(features: AgentInput["features"]): string {
  return Object.entries(features)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

const controlPlane: readonly Toleration[] = [
  { effect: "NoSchedule", key: "node-role.kubernetes.io/controlplane", value: "true" },
  { effect: "NoSchedule", key: "node-role.kubernetes.io/control-plane", operator: "Exists" },
];

/** For the taints that there are, or else for those that a control plane usually has. */
export function tolerationsFor(taints: readonly Taint[]): readonly Toleration[] {
  if (taints.length === 0) return controlPlane;
  return taints.map(({ key, value, effect }) =>
    value ? { effect, key, operator: "Equal", value } : { effect, key, operator: "Exists" },
  );
}

/** Answers for the authorized cluster endpoint, on each node of the control plane. */
export function authDaemonSet(image: string, pullSecrets: readonly PullSecret[]): DaemonSet {
  const name = agentNames.authDaemonSet;
  const labels = { app: name };
  const volume = "k8s-ssl";
  const path = "/etc/kubernetes";
  return {
    apiVersion: apiVersionOf(DaemonSet),
    kind: DaemonSet.kind,
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          affinity: { nodeAffinity: onControlPlane() },
          hostNetwork: true,
          serviceAccountName: agentNames.serviceAccount,
          tolerations: [{ operator: "Exists" }],
          containers: [
            {
              name,
              image,
              imagePullPolicy: "IfNotPresent",
              volumeMounts: [{ name: volume, mountPath: path }],
            },
          ],
          ...imagePullSecrets(pullSecrets),
          volumes: [{ name: volume, hostPath: { path, type: "DirectoryOrCreate" } }],
        },
      },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%" } },
    },
  };
}

function onControlPlane(): object {
  const notWindows = { key: "kubernetes.io/os", operator: "NotIn", values: ["windows"] };
  const nodeSelectorTerms = ["controlplane", "control-plane"].map((role) => ({
    matchExpressions: [
      notWindows,
      { key: `node-role.kubernetes.io/${role}`, operator: "In", values: ["true"] },
    ],
  }));
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}

function imagePullSecrets(secrets: readonly PullSecret[]): Pick<PodSpec, "imagePullSecrets"> {
  return secrets.length === 0 ? {} : { imagePullSecrets: secrets.map(({ name }) => ({ name })) };
}
