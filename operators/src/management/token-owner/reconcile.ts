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
import { orphanedFrom, ownerOf, ownerOfExt } from "./desired.ts";
import { deleteAction, orphanedReason } from "./names.ts";

/** Deletes the token if its user is no more. */
export async function keep(token: Token, context: Context, pace: Throttle): Promise<Result> {
  return deleteOrphan(token, ownerOf(token), context, pace);
}

/** Deletes the ext token if its user is no more. */
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
