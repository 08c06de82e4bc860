import {
  ClusterRoleTemplateBinding,
  impersonationNamespace,
  impersonatorLabel,
  impersonatorName,
  ProjectRoleTemplateBinding,
  User,
  UserAttribute,
} from "@drover/crds";
import {
  belongsTo,
  type Ownership,
  type Part,
  type Problem,
  settle,
  tell,
  throwForRetry,
  withdraw,
} from "@drover/platform";
import {
  type CacheAccess,
  type Context,
  done,
  isAlreadyExists,
  type Result,
  TemporaryError,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from "kopf-ts/kinds";
import { account, clusterRole, namespace } from "./desired.ts";
import { indexes } from "./names.ts";

const role = { id: "drover-impersonator-role", kinds: [ClusterRole] } as const;
const bound = { id: "drover-impersonator", kinds: [ServiceAccount, ClusterRoleBinding] } as const;
const label: Ownership["label"] = { key: impersonatorLabel, value: "true" };

/** Keeps the account of a user that is bound in the cluster, and takes it away with the last binding. */
export async function reconcile(user: User, context: Context): Promise<Result> {
  const { name, deletionTimestamp } = user.metadata;
  const isWanted =
    deletionTimestamp === undefined && isBound(name, context.cluster, context.hub.cache);
  if (isWanted) await ensureNamespace(context);
  const parts = isWanted ? partsFor(user, context) : [role, bound].map(empty);
  const problems = (await settle(parts, { owner: user, label }, context)).flat();
  report(problems, context);
  throwForRetry(problems);
  return done;
}

/** The user was deleted: so is the account. */
export async function forget(name: string, context: Context): Promise<Result> {
  const withdrawn = { kind: User, key: name, label, parts: [role, bound] };
  throwForRetry(await withdraw(withdrawn, context));
  return done;
}

/** Whether a binding of the cluster, or of a project in it, names the user. */
export function isBound(user: string, cluster: string, hub: CacheAccess): boolean {
  const place = `${cluster}/${user}`;
  return (
    hub(ClusterRoleTemplateBinding).keysByIndex(indexes.clusterUser, place).length > 0 ||
    hub(ProjectRoleTemplateBinding).keysByIndex(indexes.projectUser, place).length > 0
  );
}

function empty(part: Pick<Part, "id" | "kinds">): Part {
  return { ...part, objects: [] };
}

/**
 * The account refers to the role by uid, so it comes once the cache shows the role, whose coming leads to another run. It gets no role of somebody else's, and
 * stays as it is while nobody knows whose the role is.
 */
function partsFor(user: User, { cache, client, hub }: Context): readonly Part[] {
  const { name } = user.metadata;
  const wanted = { ...role, objects: [clusterRole(user, hub.cache(UserAttribute).get(name))] };
  const live = cache(ClusterRole).get(impersonatorName(name));
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return [wanted];
  if (!belongsTo(live, { owner: user, label }, client.sets?.scope)) return [wanted];
  return [wanted, { ...bound, objects: account(live) }];
}

/** All accounts are in one namespace, which belongs to none of them. */
async function ensureNamespace({ cache, client }: Context): Promise<void> {
  const live = cache(Namespace).get(impersonationNamespace);
  if (live?.metadata.deletionTimestamp !== undefined) {
    throw new TemporaryError(`namespace ${impersonationNamespace} is being deleted`, {
      delay: 2000,
    });
  }
  if (live !== undefined) return;
  await client.create(namespace).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

function report([first, ...rest]: readonly Problem[], { cluster, events }: Context): void {
  if (first === undefined) return;
  const { reason, message } = tell([first, ...rest]);
  events.warning(reason, `cluster ${cluster}: ${message}`);
}
