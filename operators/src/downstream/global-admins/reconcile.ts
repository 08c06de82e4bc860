import { type Cluster, GlobalRole, GlobalRoleBinding } from "@drover/crds";
import {
  type Claimant,
  claim,
  claimantsOf,
  findInHub,
  isAdminRole,
  isTrue,
  reportCluster,
  tellConditions,
  throwForRetry,
  unclaim,
} from "@drover/platform";
import { type Context, done, type KubeObject, type Result } from "kopf-ts";
import { ClusterRoleBinding } from "kopf-ts/kinds";
import { adminBinding, annotated, isRanchers } from "./desired.ts";
import { conditions, indexes } from "./names.ts";

const kinds = [ClusterRoleBinding];

/** Makes whom a GlobalRoleBinding makes an administrator cluster-admin, and nobody else, and tells in its status what fails here. */
export async function reconcile(binding: GlobalRoleBinding, context: Context): Promise<Result> {
  const { name, deletionTimestamp } = binding.metadata;
  const isLeaving = deletionTimestamp !== undefined;
  const role = isLeaving ? undefined : await findInHub(GlobalRole, binding.globalRoleName, context);
  const wanted = adminBinding(binding, role);
  const problems = await claim(
    {
      kinds,
      objects: wanted === undefined ? [] : [dressed(wanted, binding, context)],
      adopts: (live: KubeObject) =>
        wanted !== undefined && isRanchers(live as ClusterRoleBinding, wanted), // only asked about its kind
    },
    claimantOf(name, context.cluster),
    context,
  );
  if (!isLeaving) {
    await reportCluster(binding, "remoteConditions", { type: conditions.admin, problems }, context);
  }
  throwForRetry(problems);
  return done;
}

/** The binding was deleted: so is what it granted. */
export async function forget(name: string, context: Context): Promise<Result> {
  throwForRetry(await unclaim(kinds, claimantOf(name, context.cluster), context));
  return done;
}

/** Tells in the Cluster, once, that everybody who is an administrator is one in it. */
export async function tellSynced(cluster: Cluster, context: Context): Promise<Result> {
  if (cluster.metadata.deletionTimestamp !== undefined) return done;
  if (isTrue(cluster, conditions.synced) || !isEverybodyThere(context)) return done;
  const { clock, events, hub } = context;
  await tellConditions(cluster, [{ type: conditions.synced, status: "True" }], {
    client: hub.client,
    clock,
    events,
  });
  return done;
}

function isEverybodyThere({ cache, cluster, hub }: Context): boolean {
  return hub
    .cache(GlobalRole)
    .list()
    .filter(isAdminRole)
    .flatMap((role) =>
      hub
        .cache(GlobalRoleBinding)
        .byIndex(indexes.role, role.metadata.name)
        .map((binding) => ({ binding, wanted: adminBinding(binding, role) })),
    )
    .every(({ binding, wanted }) => {
      if (wanted === undefined || binding.metadata.deletionTimestamp !== undefined) return true;
      const live = cache(ClusterRoleBinding).get(wanted.metadata.name);
      if (live === undefined) return false;
      return claimantsOf(live, GlobalRoleBinding, cluster).includes(binding.metadata.name);
    });
}

function dressed(
  wanted: ClusterRoleBinding,
  binding: GlobalRoleBinding,
  { cache, cluster }: Context,
): ClusterRoleBinding {
  const live = cache(ClusterRoleBinding).get(wanted.metadata.name);
  const claimants = live === undefined ? [] : claimantsOf(live, GlobalRoleBinding, cluster);
  return annotated(wanted, binding, live, claimants);
}

function claimantOf(key: string, cluster: string): Claimant {
  return { kind: GlobalRoleBinding, cluster, key };
}
