/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-agent`. */
export const controllerName = "cluster-agent";

/** Condition that lets a cluster have an agent. */
export const provisioned = "Provisioned";

/** Reasons of conditions and Events. */
export const reasons = {
  /** Nobody has said where agents reach the server. */
  noServerUrl: "ServerUrlNotSet",
  /** The registration token has no value yet. */
  noToken: "WaitingForRegistrationToken",
  /** A pull Secret that the cluster names is not there; the agent is deployed without it. */
  noPullSecret: "PullSecretNotFound",
  /** The cluster did not take an object. */
  failed: "DeployFailed",
  /** Of an Event: the agent was deployed. */
  deployed: "AgentDeployed",
} as const;

/** Index of the hub's management Nodes by cluster. */
export const nodesByCluster = "cluster-agent.cluster";

/** Where pull Secrets of imported clusters are, on the hub. */
export const pullSecrets = {
  namespace: "fleet-default",
  fieldSelector: "type=kubernetes.io/dockerconfigjson",
} as const;
