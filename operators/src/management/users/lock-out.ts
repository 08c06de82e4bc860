/** What happens to the ext tokens of a disabled user. Its v3 tokens stay: whoever checks them refuses disabled users. */

import type { User } from "@drover/crds";
import { disableToken, extKeys, extText, sessionKind } from "@drover/platform";
import type { Context } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { reasons } from "./names.ts";
import { extTokensOf } from "./references.ts";

/** What to do with a token: sessions end, others could be enabled again. */
export type Treatment = "delete" | "disable" | "leave";

/** What a disabled user's ext token gets. */
export function treatmentOf(token: Secret): Treatment {
  if (token.metadata.deletionTimestamp !== undefined) return "leave";
  if (extText(token, extKeys.kind) === sessionKind) return "delete";
  return extText(token, extKeys.enabled) === "false" ? "leave" : "disable";
}

/** Deletes the sessions and disables the other tokens of a disabled user. */
export async function lockOut(user: User, { client, cache, events }: Context): Promise<void> {
  if (user.enabled !== false) return;
  const counts = { delete: 0, disable: 0, leave: 0 };
  for (const token of extTokensOf(user, cache)) {
    const treatment = treatmentOf(token);
    if (treatment === "delete") await client.delete(token);
    if (treatment === "disable") await disableToken(client, token);
    counts[treatment] += 1;
  }
  if (counts.delete + counts.disable === 0) return;
  const done = `deleted ${counts.delete} sessions and disabled ${counts.disable} tokens`;
  events.normal(reasons.lockedOut, `the user is disabled: ${done}`);
}
