/** What tests of subscriptions to several clusters share. */

import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import type { Subscriber, Told } from "../subscribe/websockets.test.support.ts";
import { send } from "../types/testing.test.support.ts";
import { TwoClusters } from "./two.test.support.ts";

/** How long tests wait for real servers. */
export const within = { within: 30_000 };

/** Prepares a bed for the tests of a `describe`. */
export function severalBed(): SeveralBed {
  const bed = new SeveralBed();
  before(() => bed.begin());
  after(() => bed.end());
  afterEach(() => bed.two.closeAll());
  return bed;
}

/** Two clusters with a namespace of the same name. */
class SeveralBed {
  readonly namespace: string = uniqueName("watched");
  #two: TwoClusters | undefined;

  get two(): TwoClusters {
    if (this.#two === undefined) throw new Error("not while no test runs");
    return this.#two;
  }

  /** The parameter that names both clusters. */
  get both(): string {
    return `clusters=local,${this.two.managed}`;
  }

  async begin(): Promise<void> {
    this.#two = await TwoClusters.start();
    for (const client of [this.two.own, this.two.other]) {
      await send(client, "POST", "/api/v1/namespaces", { metadata: { name: this.namespace } });
    }
    const list = `configmaps?${this.both}`;
    await eventually(async () => (await this.two.ask(list)).warnings === "", within);
  }

  async end(): Promise<void> {
    await this.#two?.[Symbol.asyncDispose]();
    expect(this.#two?.loud, "lines at error level").to.deep.equal([]);
  }

  /** A message about ConfigMaps of the namespace in both clusters. */
  configMaps(more: object = {}): object {
    const { namespace } = this;
    const clusters = `local,${this.two.managed}`;
    return { resourceType: "configmap", namespace, clusters, ...more };
  }

  /** Makes a ConfigMap. */
  async make(client: Client, name: string, labels: object = {}): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/configmaps`;
    await send(client, "POST", path, { metadata: { name, labels } });
  }

  async remove(client: Client, name: string): Promise<void> {
    await send(client, "DELETE", `/api/v1/namespaces/${this.namespace}/configmaps/${name}`);
  }

  /** Waits until it is told that there is something to list of a cluster. */
  joined(person: Subscriber, cluster: string): Promise<void> {
    return person.until(() => joinsOf(person, cluster) > 0, `${cluster} joins`);
  }

  /**
   * Makes objects of a cluster that has joined until somebody is told of one, and resolves to that. While the cluster's columns become known it may join anew:
   * what was made then has to be listed.
   */
  async told(person: Subscriber, cluster: string, make: (name: string) => unknown): Promise<Told> {
    for (;;) {
      const joins = joinsOf(person, cluster);
      const name = uniqueName("x");
      await make(name);
      const find = (): Told | undefined =>
        person.named("resource.create").find(({ data }) => data.metadata?.name === name);
      const joinsAnew = (): boolean => joinsOf(person, cluster) > joins;
      await person.until(() => find() !== undefined || joinsAnew(), `${name} of ${cluster}`);
      const found = find();
      if (found !== undefined) return found;
    }
  }
}

function joinsOf(person: Subscriber, cluster: string): number {
  const has = ({ revision = "" }: Told): boolean => revision.startsWith(`${cluster}:`);
  return person.named("resource.changes").filter(has).length;
}

/** Names that a test alone has. */
export function names(count: number): readonly string[] {
  return Array.from({ length: count }, () => uniqueName("x"));
}

/** What was told of some objects, those of the managed cluster with a star. */
export function course({ told }: Subscriber, objects: readonly string[]): readonly string[] {
  return told
    .filter(({ data }) => objects.includes(data.metadata?.name))
    .map(({ name, data }) => {
      const star = data.cluster === "local" ? "" : "*";
      return `${name.replace("resource.", "")} ${data.metadata.name}${star}`;
    });
}

/** What was told of a cluster that cannot be watched. */
export function errorsOf({ told }: Subscriber, cluster: string): readonly string[] {
  return told
    .filter(({ name, data }) => name === "resource.error" && data.cluster === cluster)
    .map(({ data }) => data.error);
}
