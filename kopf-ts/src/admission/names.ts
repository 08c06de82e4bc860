/** Names that the webhook configurations and the server must agree on. */

import { type Kind, resourceName } from "../kube/index.ts";

/** What a handler does: validation refuses, mutation changes. */
export type Phase = "validation" | "mutation";

/** Where a kind's handler is asked: `/v1/webhook/validation/tokens.management.cattle.io`. */
export function pathOf(prefix: string, phase: Phase, kind: Kind): string {
  return `${prefix}/${phase}/${resourceName(kind)}`;
}

/** The name of an entry in a webhook configuration; people read it in front of every denial. */
export function entryName(name: string, kind: Kind, suffix?: string): string {
  const base = `${name}.${resourceName(kind)}`;
  return suffix === undefined ? base : `${base}.${suffix}`;
}
