/** The objects of the cluster agent, as the import manifest lists them (rancher: pkg/systemtemplate/template.go). Pure. */

import { agentNames } from "@drover/crds";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  PodDisruptionBudget,
  PriorityClass,
  Secret,
  Service,
  ServiceAccount,
} from "kopf-ts/kinds";
import { credentialsName } from "./credentials.ts";
import { authDaemonSet, deployment } from "./deployment.ts";
import type { AgentInput, PullSecret } from "./input.ts";

const { namespace } = agentNames;
const rbac = "rbac.authorization.k8s.io";

/** All of them, in the order in which they can be made. */
export function agentObjects(input: AgentInput): readonly KubeObject[] {
  return [
    ...proxyAccess(),
    of(Namespace, { metadata: { name: namespace } }),
    of(ServiceAccount, { metadata: { name: agentNames.serviceAccount, namespace } }),
    ...adminRights(),
    credentials(input),
    ...input.pullSecrets.map(pullSecret),
    ...priorityClass(input),
    ...podDisruptionBudget(input),
    deployment(input),
    ...(input.authImage === undefined ? [] : [authDaemonSet(input.authImage, input.pullSecrets)]),
    service(),
  ];
}

/** Lets the API server ask the nodes. */
function proxyAccess(): readonly KubeObject[] {
  const resources = ["metrics", "proxy", "stats", "log", "spec"].map((each) => `nodes/${each}`);
  const verbs = ["get", "list", "watch", "create"];
  const { proxyRole: name, proxyBinding } = agentNames;
  return [
    of(ClusterRole, { metadata: { name }, rules: [{ verbs, apiGroups: [""], resources }] }),
    of(ClusterRoleBinding, {
      metadata: { name: proxyBinding },
      roleRef: { apiGroup: rbac, kind: ClusterRole.kind, name },
      subjects: [{ kind: "User", apiGroup: rbac, name: "kube-apiserver" }],
    }),
  ];
}

function adminRights(): readonly KubeObject[] {
  const labels = { "cattle.io/creator": "norman" };
  const { adminRole: name, adminBinding, serviceAccount } = agentNames;
  const everything = [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ];
  return [
    of(ClusterRole, { metadata: { name, labels }, rules: everything }),
    of(ClusterRoleBinding, {
      metadata: { name: adminBinding, labels },
      roleRef: { apiGroup: rbac, kind: ClusterRole.kind, name },
      subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace }],
    }),
  ];
}

function credentials(input: AgentInput): KubeObject {
  const { serverUrl, token, cluster } = input;
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return of(Secret, {
    metadata: { name: credentialsName(input), namespace },
    type: "Opaque",
    data: { url: encode(serverUrl), token: encode(token.reveal()), namespace: encode(cluster) },
  });
}

function pullSecret({ name, dockerConfigJson }: PullSecret): KubeObject {
  return of(Secret, {
    metadata: { name, namespace, labels: { [agentNames.pullSecretLabel]: "true" } },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": dockerConfigJson },
  });
}

function priorityClass({ customization }: AgentInput): readonly KubeObject[] {
  const { priorityClass: wanted } = customization.schedulingCustomization ?? {};
  if (wanted === undefined) return [];
  const { value = 0, preemptionPolicy } = wanted;
  return [
    of(PriorityClass, {
      metadata: { name: agentNames.priorityClass },
      value,
      ...(preemptionPolicy ? { preemptionPolicy } : {}),
      description: "Rancher managed Priority Class for the cattle-cluster-agent",
    }),
  ];
}

/** Kubernetes takes one of the two numbers; 0 is how Rancher's UI says that one is not set. */
function podDisruptionBudget({ customization }: AgentInput): readonly KubeObject[] {
  const { podDisruptionBudget: wanted } = customization.schedulingCustomization ?? {};
  if (wanted === undefined) return [];
  const [minAvailable, maxUnavailable] = [wanted.minAvailable, wanted.maxUnavailable].map(amount);
  const bound =
    minAvailable === undefined && maxUnavailable !== undefined
      ? { maxUnavailable }
      : { minAvailable: minAvailable ?? 0 };
  return [
    of(PodDisruptionBudget, {
      metadata: { name: agentNames.podDisruptionBudget, namespace },
      spec: { ...bound, selector: { matchLabels: { app: agentNames.deployment } } },
    }),
  ];
}

/** As Kubernetes wants it: a number, or a percentage. */
function amount(value: number | string | undefined): number | string | undefined {
  const number = Number(value ?? 0);
  if (Number.isNaN(number)) return value;
  return number === 0 ? undefined : number;
}

function service(): KubeObject {
  return of(Service, {
    metadata: { name: agentNames.service, namespace },
    spec: {
      ports: [
        { port: 80, targetPort: 80, protocol: "TCP", name: "http" },
        { port: 443, targetPort: 444, protocol: "TCP", name: "https-internal" },
      ],
      selector: { app: agentNames.deployment },
    },
  });
}

function of<T extends KubeObject>(
  kind: Kind<T>,
  fields: Omit<T, "apiVersion" | "kind">,
): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...fields };
}
