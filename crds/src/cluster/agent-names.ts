/** Names around the cluster agent (rancher: pkg/systemtemplate, pkg/controllers/management/clusterdeploy). */

import { annotations } from "../names.ts";
import type { Cluster } from "./cluster.ts";

export const agentNames = {
  /** Where everything of the agent is, in its cluster. */
  namespace: "cattle-system",
  serviceAccount: "cattle",
  deployment: "cattle-cluster-agent",
  service: "cattle-cluster-agent",
  /** Carries out requests to the authorized cluster endpoint. */
  authDaemonSet: "kube-api-auth",
  priorityClass: "cattle-cluster-agent-priority-class",
  podDisruptionBudget: "cattle-cluster-agent-pod-disruption-budget",
  adminRole: "cattle-admin",
  adminBinding: "cattle-admin-binding",
  proxyRole: "proxy-clusterrole-kubeapiserver",
  proxyBinding: "proxy-role-binding-kubernetes-master",
  /** The Secret with what the agent connects with; the key follows from what is in it. */
  credentials: (key: string): string => `cattle-credentials-${key}`,
  /** Label, "true", on copies of pull Secrets. */
  pullSecretLabel: "management.cattle.io/cattle-cluster-agent-pull-secret",
  /** Annotation: how many replicas are right where there are nodes enough. */
  scaleAvailable: "management.cattle.io/scale-available",
  /** Annotation of a Cluster: "true" deploys the agent again, and becomes "false". */
  forceDeploy: "io.cattle.agent.force.deploy",
  /** Annotation of a Cluster: hash of the registration token that the agent was deployed with. */
  tokenHash: "io.cattle.agent.registration-token-hash",
} as const;

/** Norman conditions of a Cluster that tell of its agent. */
export const agentConditions = {
  account: "SystemAccountCreated",
  deployed: "AgentDeployed",
} as const;

/** The system account of a cluster (rancher: pkg/systemaccount). */
export const systemAccountNames = {
  principal: (cluster: string): string => `system://${cluster}`,
  displayName: (cluster: string): string => `System account for Cluster ${cluster}`,
  /** The binding of its user to cluster-owner. */
  binding: (user: string): string => `${user}-admin`,
} as const;

/** Whether the server runs an agent in a cluster: not in its own, and not where a kubeconfig leads there directly. */
export function needsAgent({ metadata, spec }: Cluster): boolean {
  return spec?.internal !== true && !metadata.annotations?.[annotations.kubeconfigSecret];
}
