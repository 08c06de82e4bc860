/** A hub and a cluster: namespaces of the test's own on two API servers. */

import { secondTestEnv, uniqueName } from "@drover/env";
import type { KubeObject } from "../../kube/index.ts";
import type { Controller, FromHub, RunnerDeps } from "../index.ts";
import { type Running, Widget, Workshop } from "./widgets.ts";

/** A Widget concerns the clusters that its team names, separated by commas. */
export const ofTeam: FromHub<Widget> = {
  clusters: ({ spec }) => spec?.team?.split(",") ?? [],
};

/** Two workshops, and runners for clusters of any name, which all are the same API server. */
export class Pair implements AsyncDisposable {
  readonly hub: Workshop;
  readonly cluster: Workshop;
  /** Names of two clusters. */
  readonly a: string = uniqueName("a");
  readonly b: string = uniqueName("b");

  private constructor(hub: Workshop, cluster: Workshop) {
    this.hub = hub;
    this.cluster = cluster;
  }

  static async open(): Promise<Pair> {
    const [hub, cluster] = await Promise.all([
      Workshop.open(),
      Workshop.open({ on: await secondTestEnv() }),
    ]);
    return new Pair(hub, cluster);
  }

  /** What a runner of one cluster works with, besides its own side. */
  deps(cluster: string, more: Partial<RunnerDeps> = {}): Partial<RunnerDeps> {
    const { client, informers } = this.hub;
    return { hub: { client, informers }, cluster, ...more };
  }

  /** A controller of the hub's Widgets at work for one cluster; it sees those of the hub's namespace. */
  run(
    cluster: string,
    controller: Omit<Controller<Widget>, "watches">,
    more: Partial<RunnerDeps> = {},
  ): Promise<Running> {
    const { namespace } = this.hub;
    const whole = { select: { namespace }, ...controller, watches: Widget };
    return this.cluster.run(whole, this.deps(cluster, more));
  }

  /** Creates a Widget in the hub that concerns these clusters. */
  widget(
    name: string,
    clusters: readonly string[],
    metadata: Partial<Widget["metadata"]> = {},
  ): Promise<Widget> {
    return this.hub.client.create(this.hub.widget(name, { team: clusters.join(",") }, metadata));
  }

  /** Lets a Widget concern other clusters. */
  move(object: KubeObject, clusters: readonly string[]): Promise<Widget> {
    return this.hub.client.patch<Widget>(object, { merge: { spec: { team: clusters.join(",") } } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.cluster[Symbol.asyncDispose]();
  }
}
