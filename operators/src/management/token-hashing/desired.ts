/** Which tokens are to be hashed, and when that begins. */

import { annotations, Feature, type Token } from "@drover/crds";
import { withHashedKey } from "@drover/platform";
import { plain } from "./names.ts";

/** Whether the token stores its key as it is. */
export function isPlain(token: Token): boolean {
  const { token: key }: { readonly token?: unknown } = token; // without a schema, anything may be stored
  if (typeof key !== "string" || key === "") return false;
  return token.metadata.annotations?.[annotations.tokenHashed] !== "true";
}

/** The value of a token in index `plain-tokens`. */
export function plainness(token: Token): readonly string[] {
  return isPlain(token) ? [plain] : [];
}

/** Whether it is the feature that this is about. */
export function isOurs({ kind, metadata }: Feature): boolean {
  return kind === Feature.kind && metadata.name === "token-hashing";
}

/**
 * The patch that puts the hash where the key was. It carries uid and resourceVersion: a key that somebody changes meanwhile is never
 * overwritten by the hash of another.
 */
export function hashPatch(token: Token): object {
  const hashed = withHashedKey(token);
  const { uid, resourceVersion } = token.metadata;
  return {
    metadata: { uid, resourceVersion, annotations: { [annotations.tokenHashed]: "true" } },
    token: hashed.token,
  };
}

/** Other replicas learn of the feature within this time, and make no plain tokens any more (rancher: pkg/auth/tokens). */
const settling = 10_000;

/** When hashing may begin: some seconds after this process first saw the feature on. Times are milliseconds of the monotonic clock. */
export class Beginning {
  #at: number | undefined;

  /** Milliseconds until it may; 0 if it may now, undefined while the feature is off. */
  wait(isOn: boolean, time: number): number | undefined {
    if (!isOn) this.#at = undefined;
    else this.#at ??= time + settling;
    return this.#at === undefined ? undefined : Math.max(0, this.#at - time);
  }
}
