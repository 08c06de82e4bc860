/** What the tests of applySet have in common. */

import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Kind, type KubeObject, keyOf, type ObjectRef } from "../../kube/index.ts";
import { setIndex } from "../marks.ts";
import type { MemberCache } from "../members.ts";
import { ConfigMap, type Data, type TestCluster } from "./cluster.ts";

/** Who applies. */
export const fieldManager = "apply-test";

/** A cache as far as applySet is concerned: what the server had when it was last read. */
export class Snapshot implements MemberCache {
  readonly synced: boolean = true;
  readonly watchState: MemberCache["watchState"] = { phase: "live" };
  #objects: readonly KubeObject[];

  constructor(objects: readonly KubeObject[] = []) {
    this.#objects = objects;
  }

  async read(cluster: TestCluster, kind: Kind): Promise<void> {
    this.#objects = (await cluster.client.list(kind, { namespace: cluster.namespace })).items;
    cluster.requests();
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.find((object) => keyOf(object) === key);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    expect(index).to.equal(setIndex.name);
    return this.#objects.filter((object) => setIndex.of(object).includes(value));
  }
}

/** An object that can own a set. */
export async function ownerIn(cluster: TestCluster): Promise<KubeObject> {
  return cluster.client.create(cluster.configMap(uniqueName("owner")));
}

/** What the promise rejects with. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );
}

/** Names alone. */
export function names(objects: readonly ObjectRef[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}

/** The ConfigMap as it is now. */
export async function found(cluster: TestCluster, name: string): Promise<Data | undefined> {
  return cluster.client.find(ConfigMap, name, { namespace: cluster.namespace });
}
