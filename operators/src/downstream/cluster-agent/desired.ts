/** What the deployment of an agent depends on besides its Cluster. Pure. */

import type { Cluster, ClusterRegistrationToken, Node } from "@drover/crds";
import {
  type Confidential,
  type PullSecret,
  readRegistrationValues,
  registrationOwner,
} from "@drover/platform";
import { keyOf } from "kopf-ts";
import type { Secret, Taint } from "kopf-ts/kinds";

/** The value of a token, from a Secret that belongs to it as both of them say; undefined while there is none. */
export function registrationValueOf(
  token: ClusterRegistrationToken | undefined,
  secret: Secret | undefined,
): Confidential | undefined {
  if (token === undefined || secret === undefined) return undefined;
  const isNamed = token.status?.tokenSecretName === secret.metadata.name;
  const isOwned = registrationOwner(secret)?.uid === token.metadata.uid;
  return isNamed && isOwned ? readRegistrationValues(secret)?.token : undefined;
}

const effects: ReadonlySet<string> = new Set(["NoExecute", "NoSchedule", "PreferNoSchedule"]);

/** The taints of the nodes of a control plane, each once and always in one order. Those that pass by themselves are left out. */
export function controlPlaneTaints(nodes: readonly Node[]): readonly Taint[] {
  const taints = nodes
    .filter(({ spec }) => spec?.controlPlane === true || spec?.etcd === true)
    .flatMap(({ status }) => status?.nodeTaints ?? [])
    .flatMap(({ key, value, effect }) =>
      key && effect && effects.has(effect) && !isPassing(key)
        ? [{ key, ...(value && { value }), effect } as Taint] // just checked
        : [],
    );
  const byText = new Map(taints.map((taint) => [textOf(taint), taint]));
  return [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, taint]) => taint);
}

/** Set by the node controller while something is wrong with a node; tolerating these would keep the agent on a node that is gone. */
function isPassing(key: string): boolean {
  return key.startsWith("node.kubernetes.io/");
}

function textOf({ key, value = "", effect }: Taint): string {
  return `${key}=${value}:${effect}`;
}

/** The key of the Secret that a token names. */
export function secretKeyOf(token: ClusterRegistrationToken | undefined): string | undefined {
  const name = token?.status?.tokenSecretName;
  if (token === undefined || !name) return undefined;
  return keyOf({ ...token, metadata: { ...token.metadata, name } });
}

/** The pull Secrets that a cluster names, as far as they are there and hold what is needed to pull; the others, by name. */
export function pullSecretsOf(
  { spec }: Cluster,
  find: (name: string) => Secret | undefined,
): { readonly found: readonly PullSecret[]; readonly missing: readonly string[] } {
  const names = [...new Set(spec?.importedConfig?.privateRegistryPullSecrets ?? [])].toSorted();
  const found = names.flatMap((name) => {
    const dockerConfigJson = find(name)?.data?.[".dockerconfigjson"];
    return dockerConfigJson === undefined ? [] : [{ name, dockerConfigJson }];
  });
  const there = found.map(({ name }) => name);
  return { found, missing: names.filter((name) => !there.includes(name)) };
}
