/** Keeps exactly one default object of a kind in a namespace, or none. */

import { defaultQuotaLabel } from "@drover/crds";
import {
  ApplyError,
  apiVersionOf,
  applySet,
  type CacheAccess,
  type Client,
  claimOf,
  isInvalid,
  type JsonPatchOperation,
  type Kind,
  type KubeObject,
  messageOf,
  type ObjectMeta,
  TemporaryError,
} from "kopf-ts";
import type { Namespace } from "kopf-ts/kinds";
import { type Choice, chosen, defaultName, defaultsIndex, isDefaultObject } from "./choice.ts";

/** What a run of a reconciler offers; the cache of the kind has the indexes of `defaultsForm`. */
export interface DefaultsRun {
  readonly client: Client;
  readonly cache: CacheAccess;
  readonly signal: AbortSignal;
}

/** What a default object says, besides its name and label. */
export interface DefaultContent<T extends KubeObject> {
  readonly annotations?: ObjectMeta["annotations"];
  readonly spec: NonNullable<(T & { readonly spec?: unknown })["spec"]>;
  /** Whether a stored one says more than it should, which an apply would leave there as somebody else's. */
  readonly hasSurplus?: (live: T) => boolean;
}

/** The default object of a namespace, as far as the cache knows: the oldest. */
export function defaultIn<T extends KubeObject>(
  kind: Kind<T>,
  namespace: Pick<Namespace, "metadata">,
  run: Pick<DefaultsRun, "cache" | "client">,
): T | undefined {
  return choice(kind, namespace, run).kept;
}

function choice<T extends KubeObject>(
  kind: Kind<T>,
  { metadata: { name } }: Pick<Namespace, "metadata">,
  { client, cache }: Pick<DefaultsRun, "cache" | "client">,
): Choice<T> {
  const set = { id: client.fieldManager ?? "", scope: client.sets?.scope };
  const found = cache(kind).byIndex(defaultsIndex, name);
  return chosen(found.filter((object) => isDefaultObject(object, set)));
}

/**
 * Makes the namespace have this one default object of the kind, or none where no content is given. The oldest that is there is kept and repaired,
 * others are deleted as the cache saw them. Sends nothing when all is in order. Answers why the server will not have the content (422), which no other
 * attempt changes; anything else is thrown.
 */
export async function settleDefault<T extends KubeObject>(
  kind: Kind<T>,
  namespace: Namespace,
  content: DefaultContent<T> | undefined,
  run: DefaultsRun,
): Promise<string | undefined> {
  const { client, cache, signal } = run;
  const { kept, surplus } = choice(kind, namespace, run);
  const isTooMuch = kept !== undefined && content?.hasSurplus?.(kept) === true;
  const refused = isTooMuch ? await replaceSpec(kept, content.spec, client) : undefined;
  const objects = content === undefined ? [] : [dressed(kind, namespace, content, kept, cache)];
  const options = {
    owner: namespace,
    ownerReference: "none",
    prune: [kind],
    caches: () => cache(kind),
    signal,
  } as const;
  const fault = await applySet(client, objects, options).then(() => undefined, onlyInvalid);
  const unwanted = content === undefined && kept !== undefined ? [kept, ...surplus] : surplus;
  await remove(unwanted, kind, run);
  return fault ?? refused;
}

/** Answers why the server will not have it. */
async function replaceSpec(
  live: KubeObject,
  spec: unknown,
  client: Client,
): Promise<string | undefined> {
  const send = client.patch(live, { json: exactly(live, spec) });
  return send.then(
    () => undefined,
    (error: unknown) => {
      if (!isInvalid(error)) throw error;
      return messageOf(error);
    },
  );
}

/** The spec and nothing else, in the version that was looked at: another one is a conflict (409), where a failed test would be a 422. */
function exactly(
  { metadata: { resourceVersion } }: KubeObject,
  spec: unknown,
): readonly JsonPatchOperation[] {
  return [
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "replace", path: "/spec", value: spec },
  ];
}

function dressed<T extends KubeObject>(
  kind: Kind<T>,
  { metadata: { name: namespace } }: Namespace,
  { annotations, spec }: DefaultContent<T>,
  kept: T | undefined,
  cache: CacheAccess,
): KubeObject {
  const isTaken = (name: string): boolean => cache(kind).has(`${namespace}/${name}`);
  const name = kept?.metadata.name ?? defaultName(namespace, isTaken);
  const labels = { [defaultQuotaLabel]: "true" };
  const metadata = { name, namespace, labels, ...(annotations && { annotations }) };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec } as KubeObject;
}

/** Members of the set were pruned by it; here goes what a Rancher before us made. */
async function remove(
  unwanted: readonly KubeObject[],
  kind: Kind,
  { client, cache }: DefaultsRun,
): Promise<void> {
  const unmarked = unwanted.filter((object) => claimOf(object) === undefined);
  if (unmarked.length === 0) return;
  const { synced, watchState } = cache(kind);
  if (!synced || watchState.phase === "degraded") {
    throw new TemporaryError(`the cache of ${kind.plural} is out of touch with the server`);
  }
  for (const object of unmarked) await client.delete(object);
}

function onlyInvalid(error: unknown): string {
  if (!(error instanceof ApplyError)) throw error;
  const all = error.failures.map((failure) => failure.error);
  if (!all.every(isInvalid)) throw error;
  return all.map(messageOf).join("; ");
}
