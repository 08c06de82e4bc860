/** What goes with a user. */

import { Cluster, systemNamespace, type User } from "@drover/crds";
import { passwordNamespace } from "@drover/platform";
import {
  applySet,
  type Context,
  done,
  type KubeObject,
  type Result,
  requeueAfter,
  requeueAt,
  TemporaryError,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { isOf, settledAt } from "./desired.ts";
import { reasons } from "./names.ts";
import { blindKinds, leftBy } from "./references.ts";
import { viewSet } from "./view.ts";

/** Deletes at once. */
const breadth = 8;

/**
 * Deletes what refers to the user, and what bears its name. Ends only when the caches, all in touch with their server, show nothing more, and have
 * had a second or two to learn of what was made right before the user's end; what is created while others are being deleted goes as well.
 */
export async function cleanUp(user: User, context: Context): Promise<Result> {
  const left = leftBy(user, context.cache);
  await deleteAll(left, context);
  if (left.length > 0) {
    context.log.info("deleted what referred to a deleted user", { objects: left.length });
    return requeueAfter(0);
  }

  const blind = blindKinds(context.cache);
  if (blind.length > 0) {
    throw new TemporaryError(
      `cannot tell what refers to the user: no watch of ${blind.join(", ")}`,
    );
  }
  const settled = settledAt(user);
  if (context.clock.now() < settled) return requeueAt(settled);
  await applySet(context.client, [], viewSet(user, context));
  await deleteNamesakes(user, context);
  return done;
}

async function deleteAll(objects: readonly KubeObject[], { client }: Context): Promise<void> {
  const queue = [...objects];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await client.delete(next); // carries uid and resourceVersion
    }
  };
  await Promise.all(Array.from({ length: Math.min(breadth, queue.length) }, worker));
}

/** The namespace of its preferences and its Secrets, read live; what only happens to have the name is left. */
async function deleteNamesakes(user: User, context: Context): Promise<void> {
  const { client } = context;
  const { name } = user.metadata;
  const namespace = await client.find(Namespace, name);
  const cluster = namespace && (await client.find(Cluster, name));
  if (cluster === undefined) await deleteOwn(namespace, user, context);
  const secret = await client.find(Secret, `${name}-secret`, { namespace: systemNamespace });
  await deleteOwn(secret, user, context);
  const password = await client.find(Secret, name, { namespace: passwordNamespace });
  if (password !== undefined) await client.delete(password);
}

/** An object that has the user's name, if it can be the user's. */
async function deleteOwn(
  found: KubeObject | undefined,
  user: User,
  { client, events }: Context,
): Promise<void> {
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  if (isOf(user, found)) {
    await client.delete(found);
    return;
  }
  const { kind, metadata } = found;
  const message = `${kind} ${metadata.name} has the user's name, but is not the user's`;
  events.warning(reasons.spared, message);
}
