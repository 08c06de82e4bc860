/** What the leader brings about once it leads, and how the others wait for it. */

import { exponential, type HealthChecks, type Task, type TaskContext } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import type { LocalClusterOptions } from "../management/local-cluster/desired.ts";
import { ensureLocalCluster, removeLocalCluster } from "../management/local-cluster/reconcile.ts";
import { newNamespace } from "../management/system-namespaces/desired.ts";
import { markerNamespace } from "../management/system-namespaces/names.ts";
import { ensureNamespaces } from "./namespaces.ts";
import { ensureUnauthenticated } from "./unauthenticated.ts";
import { bringAbout } from "./write.ts";

/** Options of the data. */
export interface DataOptions {
  /** The server's own cluster; null: it shall not be among the managed ones. */
  readonly local?: LocalClusterOptions | null;
  /** Where a replica tells that it waits. */
  readonly health?: HealthChecks;
}

/** Milliseconds between two looks for the marker; in the end as often as upstream (rancher: pkg/rancher). */
const looks = { min: 100, max: 2_000 };

/**
 * On the leader, in this order: what anybody may read before login, the Cluster `local`, roles, the first admin, and the marker. A step that
 * fails is tried again, after those before it; each does nothing where its work is done.
 */
export function bootstrapData(options: DataOptions = {}): Task {
  return {
    name: "bootstrap-data",
    run: async (context) => {
      for (const step of steps(options)) await step(context);
      context.log.info("the first data are there");
    },
  };
}

type Step = (context: TaskContext) => Promise<void>;

function steps({ local = {} }: DataOptions): readonly Step[] {
  return [
    ensureNamespaces, // one that went while nobody led, after this process prepared
    ensureUnauthenticated,
    (context) =>
      local === null ? removeLocalCluster(context) : ensureLocalCluster(context, local),
    ensureMarker,
  ];
}

async function ensureMarker(context: TaskContext): Promise<void> {
  await bringAbout(context, async () => {
    const there = await isMarked(context);
    return { create: there ? [] : [newNamespace(markerNamespace)], update: [] };
  });
}

/** On every replica: /readyz fails until the leader has made the first data. */
export function bootstrapWait({ health }: DataOptions = {}): Task {
  return {
    name: "bootstrap-wait",
    on: "everywhere",
    run: async (context) => {
      using _ = health?.ready("bootstrap-data", () => {
        throw new Error(`the leader has not made namespace ${markerNamespace} yet`);
      });
      const { clock, signal } = context;
      for (let attempt = 0; !(await isMarked(context)); attempt++) {
        await clock.sleep(exponential(attempt, looks), signal);
      }
    },
  };
}

async function isMarked({ client, signal }: TaskContext): Promise<boolean> {
  return (await client.find(Namespace, markerNamespace, { signal })) !== undefined;
}
