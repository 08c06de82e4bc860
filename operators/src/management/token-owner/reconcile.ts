import { type Token, User } from "@drover/crds";
import {
  type Context,
  done,
  type KubeObject,
  type Result,
  requeueAfter,
  requeueAt,
  type Throttle,
} from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { missingLabels, orphanedFrom, ownerOf, ownerOfExt } from "./desired.ts";
import { deleteAction, orphanedReason } from "./names.ts";

/** Labels the token with its user, and deletes it if that is no more. */
export async function keep(token: Token, context: Context, pace: Throttle): Promise<Result> {
  const owner = ownerOf(token);
  const lacking = missingLabels(token);
  // A token that is about to be deleted is not touched, for its delete carries the version that was read.
  const mayStay = isKnown(owner, context) || context.clock.now() < orphanedFrom(token);
  if (lacking !== undefined && mayStay) await label(token, lacking, context);
  return deleteOrphan(token, owner, context, pace);
}

/** Deletes the ext token if its user is no more; its labels are its maker's. */
export async function keepExt(secret: Secret, context: Context, pace: Throttle): Promise<Result> {
  return deleteOrphan(secret, ownerOfExt(secret), context, pace);
}

/** The cache may not know the user yet or any more, so a live read decides. */
async function deleteOrphan(
  object: KubeObject,
  owner: string | undefined,
  context: Context,
  pace: Throttle,
): Promise<Result> {
  const { client, clock, events, key, log } = context;
  if (owner === undefined || isKnown(owner, context)) return done;
  const since = orphanedFrom(object);
  const late = clock.now() - since;
  if (late < 0) return requeueAt(since);
  const wait = pace.wait(key, late, clock.monotonic());
  if (wait > 0) return requeueAfter(wait);

  if ((await client.find(User, owner)) !== undefined) return done;
  if (!(await client.delete(object))) return done;
  const message = "deleted the token, because its user is no more";
  events.event({ type: "Normal", reason: orphanedReason, action: deleteAction, message });
  log.info("deleted a token whose user is no more");
  return done;
}

function isKnown(owner: string | undefined, { cache }: Context): boolean {
  return owner !== undefined && cache(User).has(owner);
}

/** The uid keeps a token of the same name that was made meanwhile from getting this one's label. */
async function label(
  { apiVersion, kind, metadata }: Token,
  labels: Readonly<Record<string, string>>,
  { client }: Context,
): Promise<void> {
  const { name, uid } = metadata;
  await client.patch(
    { apiVersion, kind, metadata: { name } },
    { merge: { metadata: { uid, labels } } },
  );
}
