/** The objects around a ClusterRegistrationToken. Pure. */

import {
  ClusterRegistrationToken,
  type ClusterRegistrationTokenStatus,
  registrationTokenNames,
  tokenReaderRole,
} from "@drover/crds";
import {
  Confidential,
  type RegistrationValues,
  registrationData,
  registrationOwner,
  toTimestamp,
} from "@drover/platform";
import { apiVersionOf, ownerReference } from "kopf-ts";
import { Role, Secret } from "kopf-ts/kinds";
import { type CommandInput, commandsOf } from "./commands.ts";
import { readerLabel } from "./names.ts";

/** Of a name in Kubernetes. */
const longestName = 253;

/** Name of the Secret; undefined where it would be too long for one. */
export function secretNameOf({ metadata }: ClusterRegistrationToken): string | undefined {
  const name = registrationTokenNames.secret(metadata.name);
  return name.length > longestName ? undefined : name;
}

/** The value that an older Rancher kept in the status, which goes on counting. */
export function legacyValues({ status }: ClusterRegistrationToken): RegistrationValues | undefined {
  const { token = "" } = status ?? {};
  return token === "" ? undefined : { token: new Confidential(token) };
}

/** The Secret as it is created. */
export function newSecret(
  token: ClusterRegistrationToken,
  name: string,
  values: RegistrationValues,
): Secret {
  const { namespace = "" } = token.metadata;
  const data = Object.entries(registrationData(values)).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name,
      namespace,
      labels: { [registrationTokenNames.secretLabel]: "true" },
      ownerReferences: [ownerReference(token)],
    },
    type: "Opaque",
    data: Object.fromEntries(data),
  };
}

/** The merge patch that makes a stored Secret hold the values, in the very version that was looked at; undefined where it does. */
export function secretPatch(stored: Secret, values: RegistrationValues): object | undefined {
  const changes = Object.entries(registrationData(values)).filter(
    ([key, value]) => (stored.data?.[key] ?? null) !== value,
  );
  const isLabelled = stored.metadata.labels?.[registrationTokenNames.secretLabel] === "true";
  if (changes.length === 0 && isLabelled) return undefined;
  const { uid, resourceVersion } = stored.metadata;
  const labels = { [registrationTokenNames.secretLabel]: "true" };
  return {
    metadata: { uid, resourceVersion, ...(!isLabelled && { labels }) },
    ...(changes.length > 0 && { data: Object.fromEntries(changes) }),
  };
}

/** Whether a Secret was made for this very token. */
export function isSecretOf(token: ClusterRegistrationToken, secret: Secret): boolean {
  const owner = registrationOwner(secret);
  return owner?.name === token.metadata.name && owner.uid === token.metadata.uid;
}

/** What the status says; never a value. */
export function statusOf(
  secretName: string,
  { expiresAt, previous }: RegistrationValues,
  commands: CommandInput,
): ClusterRegistrationTokenStatus {
  return {
    ...commandsOf(commands),
    tokenSecretName: secretName,
    ...(expiresAt !== undefined && { expiresAt: toTimestamp(expiresAt) }),
    ...(previous !== undefined && { gracePeriodExpiresAt: toTimestamp(previous.expiresAt) }),
  };
}

/** Lets whoever is bound to it read the Secrets of a namespace's tokens, in an order that is always the same; undefined for none. */
export function readerRole(
  namespace: string,
  tokens: readonly ClusterRegistrationToken[],
): Role | undefined {
  const resourceNames = tokens
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap(({ status }) => (status?.tokenSecretName ? [status.tokenSecretName] : []))
    .toSorted();
  if (resourceNames.length === 0) return undefined;
  return {
    apiVersion: apiVersionOf(Role),
    kind: Role.kind,
    metadata: { name: tokenReaderRole, namespace, labels: { [readerLabel]: namespace } },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames }],
  };
}

/** The token that everybody uses who registers a cluster by hand. */
export function defaultToken(cluster: string): ClusterRegistrationToken {
  return {
    apiVersion: apiVersionOf(ClusterRegistrationToken),
    kind: ClusterRegistrationToken.kind,
    metadata: { name: registrationTokenNames.defaultToken, namespace: cluster },
    spec: { clusterName: cluster },
  };
}
