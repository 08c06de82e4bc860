import {
  agentConditions,
  agentNames,
  Cluster,
  ClusterRegistrationToken,
  Node,
  registrationTokenNames,
  Setting,
} from "@drover/crds";
import { type Environment, isTrue, type SettingName } from "@drover/platform";
import {
  type Controller,
  changed,
  findCondition,
  type Kind,
  type KubeObject,
  owned,
  related,
  setIndex,
  where,
} from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  DaemonSet,
  Deployment,
  Namespace,
  PodDisruptionBudget,
  PriorityClass,
  Secret,
  Service,
  ServiceAccount,
} from "kopf-ts/kinds";
import { controllerName, nodesByCluster, provisioned, pullSecrets } from "./names.ts";
import { reconcile, type Shared } from "./reconcile.ts";

/** Options of clusterAgent. */
export interface ClusterAgentOptions {
  /** Overrides settings. */
  readonly env: Environment;
}

const settings: ReadonlySet<string> = new Set<SettingName>([
  "server-url",
  "cacerts",
  "agent-image",
  "agent-tls-mode",
  "system-default-registry",
  "cluster-agent-default-affinity",
  "server-version",
  "install-uuid",
  "ingress-ip-domain",
]);

const clusterWide: readonly Kind[] = [ClusterRole, ClusterRoleBinding, PriorityClass];
const inNamespace: readonly Kind[] = [
  ServiceAccount,
  Deployment,
  DaemonSet,
  PodDisruptionBudget,
  Service,
];
const indexes = { [setIndex.name]: setIndex.of };
const select = { namespace: agentNames.namespace };

const tokenSecrets = { labelSelector: `${registrationTokenNames.secretLabel}=true` };
const inItsNamespace = {
  clusters: ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ""],
};
const byName = { clusters: ({ metadata }: KubeObject): readonly string[] => [metadata.name] };
const clusterOf = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ""];

/** Deploys the agent in a cluster that needs one, and again whenever what it should be changes. */
export function clusterAgent({ env }: ClusterAgentOptions): Controller<Cluster> {
  const shared: Shared = {
    env,
    tokenSecrets,
    prune: [...clusterWide, ...inNamespace],
    keep: [Secret],
  };
  return {
    name: controllerName,
    watches: Cluster,
    hub: byName,
    when: changed((cluster) => [
      cluster.metadata.annotations,
      cluster.spec,
      isTrue(cluster, provisioned),
      findCondition(cluster.status?.conditions, agentConditions.deployed),
      cluster.status?.agentImage,
      cluster.status?.agentFeatures,
    ]),
    owns: [
      ...clusterWide.map((kind) => owned(kind, { indexes })),
      ...[...inNamespace, Secret].map((kind) => owned(kind, { indexes, select })),
    ],
    related: [
      related(Namespace, {
        when: where(({ metadata }) => metadata.name === agentNames.namespace),
        map: (_, __, { cluster }) => [cluster],
      }),
      related(Setting, {
        hub: true,
        when: where(({ metadata }) => settings.has(metadata.name)),
        map: (_, __, { cluster }) => [cluster],
      }),
      related(ClusterRegistrationToken, {
        hub: inItsNamespace,
        when: changed(({ metadata, status }) => [metadata.uid, status?.tokenSecretName]),
        map: clusterOf,
      }),
      related(Secret, {
        hub: inItsNamespace,
        select: tokenSecrets,
        map: clusterOf,
      }),
      related(Secret, {
        hub: true,
        select: pullSecrets,
        map: (_, __, { cluster }) => [cluster],
      }),
      related(Node, {
        hub: inItsNamespace,
        indexes: { [nodesByCluster]: clusterOf },
        when: changed(({ spec, status }) => [spec?.controlPlane, spec?.etcd, status?.nodeTaints]),
        map: clusterOf,
      }),
    ],
    reconcile: (cluster, context) => reconcile(cluster, context, shared),
  };
}
