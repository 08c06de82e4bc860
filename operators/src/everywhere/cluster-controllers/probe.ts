/** Asks a cluster how it is, and who. */

import { type Client, isForbidden, isUnanswered, isUnauthorized, messageOf } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import type { Health } from "./desired.ts";
import { reasons } from "./names.ts";

/** Milliseconds for the question who a cluster is. */
const patience = 5000;
/** Bytes of the answers at most. Whoever sends without end, or something else by mistake, costs no more at each check. */
const limits = { readyz: 64 << 10, namespace: 1 << 20 };
/** Characters of an answer that are worth telling. */
const longest = 500;

/** One try of /readyz, and the uid of kube-system when it is well. Rejects only when the signal aborts. `timeout` is for each of the two, in milliseconds. */
export async function probe(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Health> {
  try {
    const answerLimit = limits.readyz;
    await client.request({ method: "GET", path: "/readyz", answerLimit, ...options });
    return { kind: "healthy", identity: await identityOf(client, options.signal, options.timeout) };
  } catch (error) {
    options.signal.throwIfAborted();
    return failure(error);
  }
}

/** The uid of a cluster's namespace kube-system, which no two clusters share. Rejects where whoever answers has none. */
export async function identityOf(
  client: Client,
  signal: AbortSignal,
  timeout: number = patience,
): Promise<string> {
  const answerLimit = limits.namespace;
  const { metadata } = await client.get(Namespace, "kube-system", { signal, timeout, answerLimit });
  if (metadata?.uid) return metadata.uid;
  throw new Error("namespace kube-system has no uid; is this the address of an API server?");
}

function failure(error: unknown): Health {
  const message = messageOf(error).slice(0, longest);
  if (isUnauthorized(error) || isForbidden(error)) {
    return { kind: "away", reason: reasons.refused, message };
  }
  if (isUnanswered(error)) return { kind: "away", reason: reasons.unreachable, message };
  return { kind: "unhealthy", message };
}
