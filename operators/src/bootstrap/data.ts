/** What the leader brings about once it leads, and how the others wait for it. */

import { dataNamespace, Feature, Setting } from "@drover/crds";
import {
  type Environment,
  type FeatureDefaults,
  liveFeatures,
  liveSettings,
} from "@drover/platform";
import {
  exponential,
  type HealthChecks,
  type KubeObject,
  type Task,
  type TaskContext,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import type { LocalClusterOptions } from "../management/local-cluster/desired.ts";
import { ensureLocalCluster, removeLocalCluster } from "../management/local-cluster/reconcile.ts";
import { newNamespace } from "../management/system-namespaces/desired.ts";
import { type AdminOptions, bootstrapAdmin } from "./admin/index.ts";
import { ensureNamespaces } from "./namespaces.ts";
import { bootstrapRoles } from "./roles/index.ts";
import { ensureUnauthenticated } from "./unauthenticated.ts";
import { bringAbout } from "./write.ts";

/** Options of the data. */
export interface DataOptions {
  /** It overrides settings and may bring the first password. */
  readonly env: Environment;
  /** Defaults of the features in this process. */
  readonly features: FeatureDefaults;
  /** Shows the first admin's generated password to whoever installs the server. */
  readonly announce?: AdminOptions["announce"] | undefined;
  /** The server's own cluster; null: it shall not be among the managed ones. */
  readonly local?: LocalClusterOptions | null | undefined;
}

/** Milliseconds between two looks for the marker; upstream looks every 2 s (rancher: pkg/rancher), and everybody who starts a server waits for it. */
const looks = { min: 100, max: 500 };

/**
 * On the leader, in this order: what anybody may read before login, the Cluster `local`, roles, the first admin, and the marker. A step that
 * fails is tried again, after those before it; each does nothing where its work is done.
 */
export function bootstrapData(options: DataOptions): Task {
  return {
    name: "bootstrap-data",
    run: async (context) => {
      for (const step of steps(options)) await step(context);
      context.log.info("the first data are there");
    },
  };
}

type Step = (context: TaskContext) => Promise<void>;

function steps(options: DataOptions): readonly Step[] {
  const { local = {} } = options;
  return [
    ensureNamespaces, // one that went while nobody led, after this process prepared
    ensureUnauthenticated,
    (context) =>
      local === null ? removeLocalCluster(context) : ensureLocalCluster(context, local),
    async (context) => bootstrapRoles(context, await valuesNow(context, options)),
    async (context) => bootstrapAdmin(context, await adminOptions(context, options)),
    ensureMarker,
  ];
}

async function adminOptions(context: TaskContext, options: DataOptions): Promise<AdminOptions> {
  const { env, announce = () => undefined } = options;
  return { env, announce, ...(await valuesNow(context, options)) };
}

/** Settings and features as the API server has them now: a task has no caches. */
async function valuesNow(
  { client, signal }: TaskContext,
  { env, features }: DataOptions,
): Promise<Pick<AdminOptions, "settings" | "features">> {
  const [settings, flags] = await Promise.all([
    client.list(Setting, { signal }),
    client.list(Feature, { signal }),
  ]);
  return {
    settings: liveSettings(byName(settings.items), env),
    features: liveFeatures(byName(flags.items), features),
  };
}

function byName<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}

async function ensureMarker(context: TaskContext): Promise<void> {
  await bringAbout(context, async () => {
    const there = await isMarked(context);
    return { create: there ? [] : [newNamespace(dataNamespace)], update: [] };
  });
}

/** On every replica: /readyz fails until the leader has made the first data. */
export function bootstrapWait(health?: HealthChecks): Task {
  return {
    name: "bootstrap-wait",
    on: "everywhere",
    run: async (context) => {
      using _ = health?.ready("bootstrap-data", () => {
        throw new Error(`the leader has not made namespace ${dataNamespace} yet`);
      });
      const { clock, signal } = context;
      for (let attempt = 0; !(await isMarked(context)); attempt++) {
        await clock.sleep(exponential(attempt, looks), signal);
      }
    },
  };
}

async function isMarked({ client, signal }: TaskContext): Promise<boolean> {
  return (await client.find(Namespace, dataNamespace, { signal })) !== undefined;
}
