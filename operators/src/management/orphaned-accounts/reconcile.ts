import { Cluster, Project, type User } from "@drover/crds";
import { type Context, done, type Result, requeueAt } from "kopf-ts";
import { judgedFrom, type Subject, subjectOf } from "./desired.ts";
import { orphanedReason } from "./names.ts";

/** Index of Projects by their name alone: accounts do not tell the cluster. */
export const projectsByName = "orphaned-accounts-name";

/** Deletes the account if what it works for is no more. */
export async function judge(user: User, context: Context): Promise<Result> {
  const subject = subjectOf(user);
  if (subject === undefined || isCached(subject, context)) return done;
  const from = judgedFrom(user);
  if (from === Number.POSITIVE_INFINITY) return done;
  if (context.clock.now() < from) return requeueAt(from);
  if (await exists(subject, context)) return done; // the cache will tell when it goes

  if (!(await context.client.delete(user))) return done; // carries uid and resourceVersion
  const message = `deleted the account of ${subject.of} ${subject.name}, which is no more`;
  context.events.normal(orphanedReason, message);
  context.log.info("deleted an orphaned system account", { ...subject });
  return done;
}

function isCached({ of, name }: Subject, { cache }: Context): boolean {
  if (of === "cluster") return cache(Cluster).has(name);
  return cache(Project).keysByIndex(projectsByName, name).length > 0;
}

async function exists({ of, name }: Subject, { client }: Context): Promise<boolean> {
  if (of === "cluster") return (await client.find(Cluster, name)) !== undefined;
  const { items } = await client.list(Project, {
    fieldSelector: `metadata.name=${name}`,
    limit: 1,
  });
  return items.length > 0;
}
