import type { Token } from "@drover/crds";
import { tokenExpiry, toTimestamp } from "@drover/platform";
import {
  type Context,
  type Counter,
  done,
  hasFinalizer,
  messageOf,
  type Result,
  removeFinalizer,
  requeueAfter,
  requeueAt,
  type Throttle,
} from "kopf-ts";
import { shownUser } from "./desired.ts";
import { legacyFinalizer, purgeAction, reasons } from "./names.ts";

/** What all runs share. */
export interface Shared {
  readonly pace: Throttle;
  readonly purged: Counter | undefined;
}

/** Deletes the token once it has expired; until then sees to it that expiresAt is filled in. One that is being deleted is let go. */
export async function purge(
  token: Token,
  context: Context,
  { pace, purged }: Shared,
): Promise<Result> {
  const { client, clock, key } = context;
  if (token.metadata.deletionTimestamp !== undefined) return letGo(token, context);
  const expiry = expiryOrEvent(token, context);
  if (expiry === undefined) return done;

  const late = clock.now() - expiry;
  if (late < 0) {
    if (!token.expiresAt) await fillIn(token, expiry, context);
    return requeueAt(expiry);
  }

  const wait = pace.wait(key, late, clock.monotonic());
  if (wait > 0) return requeueAfter(wait);

  const deleted = await client.delete(token); // carries uid and resourceVersion
  if (!deleted) return done;
  tell(token, toTimestamp(expiry), context);
  purged?.inc();
  return done;
}

/** One that finalizers hold is only marked; the delete carried its version, so these are the ones it had then. */
function tell(token: Token, expired: string, { log, events }: Context): void {
  const holders = (token.metadata.finalizers ?? []).filter((name) => name !== legacyFinalizer);
  const user = shownUser(token);
  const whose = `the token of user ${user ?? "unknown"}, which expired at ${expired}`;
  const waits = `it waits for the finalizers [${holders.join(", ")}]`;
  const message =
    holders.length === 0 ? `deleted ${whose}` : `marked ${whose}, for deletion; ${waits}`;
  events.event({ type: "Normal", reason: reasons.expired, action: purgeAction, message });
  if (holders.length === 0) log.info("deleted expired token", { expired, user });
  else log.info("marked expired token for deletion", { expired, user, finalizers: holders });
}

/** Nobody else removes the finalizer any more, so the token would stay for ever; those of others are theirs. */
async function letGo(token: Token, { client, log }: Context): Promise<Result> {
  if (!hasFinalizer(token, legacyFinalizer)) return done;
  await removeFinalizer(client, token, legacyFinalizer);
  log.info("removed a legacy finalizer", { finalizer: legacyFinalizer });
  return done;
}

/** What cannot be read is told where people look for it, then left alone until it changes. */
function expiryOrEvent(token: Token, { events }: Context): number | undefined {
  try {
    return tokenExpiry(token);
  } catch (error) {
    const message = messageOf(error);
    events.event({ type: "Warning", reason: reasons.invalid, action: purgeAction, message });
    throw error;
  }
}

/** The uid keeps a token of the same name that was made meanwhile from getting this one's expiry. */
async function fillIn(
  { apiVersion, kind, metadata }: Token,
  expiry: number,
  { client }: Context,
): Promise<void> {
  const { name, uid } = metadata;
  const merge = { metadata: { uid }, expiresAt: toTimestamp(expiry) };
  await client.patch({ apiVersion, kind, metadata: { name } }, { merge });
}
