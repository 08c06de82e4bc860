/** Names by which a ServiceAccount and the Secret with its token find each other (rancher: pkg/serviceaccounttoken/secret.go). */

import { createHash } from "node:crypto";
import { safeConcatName } from "@drover/crds";
import { apiVersionOf, type KubeObject } from "kopf-ts";
import { Secret, ServiceAccount } from "kopf-ts/kinds";

/** On a ServiceAccount: `<namespace>/<name>` of the Secret with its token. */
export const secretRefAnnotation = "rancher.io/service-account.secret-ref";
/** On such a Secret: the name of its ServiceAccount, shortened where it is no label. */
export const accountLabel = "cattle.io/service-account.name";
/** The type of Secrets that Kubernetes fills with a token. */
export const tokenType = "kubernetes.io/service-account-token";

const accountAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

/** So much of the account's name fits before the rest of the Secret's. */
const longestPrefix = 230;

/** The value of the label for a ServiceAccount. */
export function accountLabelValue(account: string): string {
  return safeConcatName(account);
}

/**
 * The Secret for a ServiceAccount, without its token. Its name follows from the account's uid: however many make it at once, or again after a crash, there
 * is one; and an account that was made anew gets another, for Kubernetes deletes those of the old one.
 */
export function tokenSecret({ metadata }: ServiceAccount): Secret {
  const { name, namespace = "", uid = "" } = metadata;
  const hash = createHash("sha256").update(uid).digest("hex").slice(0, 10);
  const owner = { apiVersion: apiVersionOf(ServiceAccount), kind: ServiceAccount.kind, name, uid };
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name: `${name.slice(0, longestPrefix)}-token-${hash}`,
      namespace,
      labels: { [accountLabel]: accountLabelValue(name) },
      annotations: { [accountAnnotation]: name },
      ownerReferences: [owner],
    },
    type: tokenType,
  };
}

/** Whether the Secret holds, or will hold, a token of this very ServiceAccount. */
export function isTokenOf(
  { type, metadata }: Secret,
  { metadata: account }: ServiceAccount,
): boolean {
  const { annotations = {}, deletionTimestamp } = metadata;
  const uid = annotations[uidAnnotation];
  return (
    type === tokenType &&
    deletionTimestamp === undefined &&
    annotations[accountAnnotation] === account.name &&
    (uid === undefined || uid === account.uid)
  );
}

/** The name of the Secret that the ServiceAccount refers to, if that is in its own namespace, where it has to be. */
export function referredSecret({ metadata }: KubeObject): string | undefined {
  const [namespace, name, ...rest] = metadata.annotations?.[secretRefAnnotation]?.split("/") ?? [];
  return rest.length === 0 && namespace === metadata.namespace && name ? name : undefined;
}
