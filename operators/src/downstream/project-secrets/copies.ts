/** Writes copies of Secrets: what is ours is put right, what is not stays. */

import { throwForRetry } from "@drover/platform";
import {
  type ApiError,
  type Context,
  done,
  isAlreadyExists,
  isInvalid,
  isNotFound,
  keyOf,
  type Result,
  requeueAfter,
  TemporaryError,
} from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { isCopy, remedyFor, updated } from "./desired.ts";
import { reasons } from "./names.ts";

/** Until it is worth a look whether people gave up a name, of which no event tells. */
const giveUp = 60_000;

/** Makes exactly these copies be there: `known` are those that the cache shows, of which others go. What went wrong with one stops no other. */
export async function settleCopies(
  wanted: readonly Secret[],
  known: readonly Secret[],
  context: Context,
): Promise<Result> {
  const errors: { readonly error: Error }[] = [];
  let isTaken = false;
  for (const copy of wanted) {
    await spread(copy, context).then(
      (isOurs) => {
        isTaken ||= !isOurs;
      },
      (error: Error) => isNotFound(error) || errors.push({ error }),
    );
  }
  await removeOthers(known, new Set(wanted.map(keyOf)), context);
  throwForRetry(errors);
  return isTaken ? requeueAfter(giveUp) : done;
}

/** Answers false where somebody else has the name. The cache shows Secrets with the label only: nobody's others are ever read unless they are in the way. */
async function spread(wanted: Secret, context: Context): Promise<boolean> {
  const { name, namespace = "" } = wanted.metadata;
  try {
    const live = context.cache(Secret).get(keyOf(wanted)) ?? (await made(wanted, context));
    if (live === undefined) return true;
    if (isCopy(live)) return await repair(live, wanted, context);
    const message = `namespace ${namespace} has another Secret ${name}, which stays: rename or delete it`;
    context.events.warning(reasons.nameTaken, message);
    return false;
  } catch (error) {
    if (!isInvalid(error)) throw error;
    context.events.warning(reasons.invalid, `namespace ${namespace}: ${fieldsOf(error)}`);
    return true;
  }
}

/** Undefined once it was made; what has the name otherwise, as the server has it. */
async function made(wanted: Secret, { client }: Context): Promise<Secret | undefined> {
  try {
    await client.create(wanted);
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = wanted.metadata;
    return client.find(Secret, name, { namespace });
  }
}

async function repair(live: Secret, wanted: Secret, { client }: Context): Promise<true> {
  const remedy = live.metadata.deletionTimestamp === undefined ? remedyFor(live, wanted) : "none";
  if (remedy === "update") await client.update(updated(live, wanted));
  if (remedy === "replace") {
    await client.delete(live);
    await client.create(wanted);
  }
  return true;
}

/** What the server says of a Secret may quote its data, so only fields are named. */
function fieldsOf({ status }: ApiError): string {
  const fields = status?.details?.causes?.flatMap(({ field }) => field ?? []) ?? [];
  return `the API server does not take the copy${fields.length === 0 ? "" : `: see ${fields.join(", ")}`}`;
}

/** By the cache only as long as it is in touch; deletes carry uid and resourceVersion. */
async function removeOthers(
  copies: readonly Secret[],
  wanted: ReadonlySet<string>,
  { cache, client, log }: Context,
): Promise<void> {
  const unwanted = copies.filter(
    (copy) => copy.metadata.deletionTimestamp === undefined && !wanted.has(keyOf(copy)),
  );
  if (unwanted.length === 0) return;
  const { synced, watchState } = cache(Secret);
  if (!synced || watchState.phase === "degraded") {
    throw new TemporaryError("the cache of secrets is out of touch with the server");
  }
  for (const copy of unwanted) {
    await client.delete(copy);
    log.info("deleted a copy that is wanted no more", { copy: keyOf(copy) });
  }
}
