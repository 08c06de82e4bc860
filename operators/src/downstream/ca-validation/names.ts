/** Names that people and programs see. */

/** The controller; its field manager is `drover-ca-validation`. */
export const controllerName = "ca-validation";

/** Condition of a Cluster: its agent trusts the server by setting cacerts alone. */
export const strictCheck = "AgentTlsStrictCheck";

/** The Secret in which an agent tells what it found (rancher: pkg/agent/cluster). */
export const reportSecret = "stv-aggregation";

/** Keys of that Secret. */
export const keys = { valid: "CATTLE_CACERTS_VALID", bundle: "ca.crt" } as const;

/** Reasons of the condition. */
export const reasons = {
  /** The server's certificate is not one of the bundle's. */
  invalid: "CertificateNotTrusted",
  /** The agent does not say. */
  unknown: "NotReported",
  /** A kubeconfig leads to the cluster, so no agent connects. */
  direct: "ReachedDirectly",
} as const;
