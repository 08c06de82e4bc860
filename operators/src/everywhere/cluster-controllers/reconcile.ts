/** Follows one Cluster: who works for it, whether it answers, and what is said of it. */

import { annotations, type Cluster, Feature, Setting } from "@drover/crds";
import {
  type Environment,
  type FeatureDefaults,
  isReachable,
  isTrue,
  liveFeatures,
  liveSettings,
  tellConditions,
} from "@drover/platform";
import { addFinalizer, type Context, hasFinalizer, type Result, requeueAfter } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import type { Checked, Checks, Pace } from "./checks.ts";
import { conditionsFor, type Health } from "./desired.ts";
import { credentialKeyOf, type Facts, factsOf } from "./facts.ts";
import type { Fleet, FleetRules } from "./fleet.ts";
import { conditions, finalizer } from "./names.ts";
import { remove } from "./remove.ts";

/** What the concern needs besides the context. */
export interface ClusterControllersOptions {
  readonly fleet: Fleet;
  /** Overrides settings. */
  readonly env: Environment;
  readonly features: FeatureDefaults;
  /** Rancher's unless told. */
  readonly pace?: Pace;
}

/** The same with what it keeps between runs. */
export interface Shared extends ClusterControllersOptions {
  readonly checks: Checks;
  /** Failed tries to clean up, by the uid of the Cluster. */
  readonly failures: Map<string, number>;
}

/** Milliseconds between two health checks, and two looks at who owns a cluster (rancher: pkg/controllers/managementuser/healthsyncer). */
const period = 15_000;
/** Milliseconds between two looks whether it is known by now who else there is. */
const moment = 300;

/** Tells the fleet of the cluster. Who works for it also asks how it is, and writes what follows. */
export async function follow(cluster: Cluster, context: Context, shared: Shared): Promise<Result> {
  const { fleet } = shared;
  const facts = factsOf(cluster, secretOf(cluster, context));
  fleet.learn(facts, rulesOf(context, shared));
  if (!fleet.owns(facts.name)) return requeueAfter(fleet.knowsMembers ? period : moment);
  if (facts.isDeleted) return remove(cluster, context, shared);

  const { health, next } = await healthOf(facts, context, shared);
  if (health !== undefined) await tell(cluster, health, context, facts);
  return requeueAfter(next);
}

function secretOf(cluster: Cluster, { cache }: Context): Secret | undefined {
  const key = credentialKeyOf(cluster);
  return key === undefined ? undefined : cache(Secret).get(key);
}

function rulesOf({ cache }: Context, { env, features }: ClusterControllersOptions): FleetRules {
  return {
    startCount: liveSettings(cache(Setting), env).number("cluster-controller-start-count"),
    consistentHashing: liveFeatures(
      cache(Feature),
      features,
    )("consistent-hashing-cluster-ownership"),
  };
}

async function healthOf(
  facts: Facts,
  context: Context,
  { fleet, checks }: Shared,
): Promise<Checked> {
  const { way, name } = facts;
  const client = fleet.clientOf(name);
  if (client !== undefined) return checks.check(facts, client, context);
  checks.forget(name);
  const isPending = isReachable(way) || way.reason === "NotProvisioned";
  return { health: isPending ? undefined : { kind: "away", ...way }, next: period };
}

async function tell(
  cluster: Cluster,
  health: Health,
  context: Context,
  facts: Facts,
): Promise<void> {
  const marked = await mark(cluster, health, context, facts);
  if (marked === undefined) return;
  const told = conditionsFor(health, facts.isInternal);
  if (facts.isInternal || isTrue(marked, conditions.provisioned)) {
    await tellConditions(marked, told, context);
  }
}

/** Holds the cluster until it is cleaned up, and keeps which one it is, once it was reached. */
async function mark(
  cluster: Cluster,
  health: Health,
  { client }: Context,
  { identity, isInternal }: Facts,
): Promise<Cluster | undefined> {
  if (health.kind !== "healthy") return cluster;
  const held = hasFinalizer(cluster, finalizer)
    ? cluster
    : await addFinalizer(client, cluster, finalizer);
  if (held === undefined || identity !== undefined || isInternal) return held;
  if (health.identity === undefined) return held;
  const { resourceVersion } = held.metadata;
  const metadata = { resourceVersion, annotations: { [annotations.clusterUid]: health.identity } };
  return client.patch<Cluster>(held, { merge: { metadata } });
}
