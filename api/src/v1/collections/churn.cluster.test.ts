import { isDeepStrictEqual } from "node:util";
import { freshNamespace } from "@drover/env";
import { expect } from "chai";
import { type Client, systemClock } from "kopf-ts";
import { eventually, type Random, seededRandom } from "kopf-ts/testing";
import { textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import type { Collection } from "./collection.ts";
import { TestCluster, type World, within } from "./collections.test.support.ts";

const never = new AbortController().signal;

/** Makes, changes and removes ConfigMaps; returns the color of those that are left, by name. */
async function write(
  client: Client,
  namespace: string,
  random: Random,
): Promise<Readonly<Record<string, string>>> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const truth = new Map<string, string>();
  for (let n = 0; n < 60; n++) {
    const name = `c-${random.below(12)}`;
    const data = { color: `${n}` };
    if (truth.has(name) && random.chance(0.3)) {
      await send(client, "DELETE", `${path}/${name}`);
      truth.delete(name);
    } else {
      if (truth.has(name)) await send(client, "PATCH", `${path}/${name}`, { data });
      else await send(client, "POST", path, { metadata: { name }, data });
      truth.set(name, data.color);
    }
  }
  return Object.fromEntries(truth);
}

/** The keys of the test's ConfigMaps that a collection has. */
function keysOf({ cache }: Collection, namespace: string): readonly string[] {
  return [...cache.keys()].filter((key) => key.startsWith(`${namespace}/c-`));
}

/** Uses the type now and then; returns what was there without its bytes. */
async function read(
  { collections }: World,
  cluster: TestCluster,
  namespace: string,
  random: Random,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let n = 0; n < 25; n++) {
    using used = await collections.use(cluster.type("configmap"), never);
    await used.need([{ name: "data.color" }]);
    for (let look = random.below(3); look >= 0; look--) {
      const keys = keysOf(used, namespace);
      missing.push(...keys.filter((key) => used.cache.get(key) === undefined));
      await systemClock.sleep(random.below(4)); // bytes come and go meanwhile: at any moment
    }
    used[Symbol.dispose]();
    await systemClock.sleep(random.below(12)); // before, while and after they are let go
  }
  return missing;
}

describe("the bytes of a type, on an API server", function () {
  this.timeout(90_000);
  let cluster: TestCluster;
  before(async () => {
    cluster = await TestCluster.start();
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  for (const seed of [1, 2]) {
    it(`are there whenever it is used, however often they go and come (seed ${seed})`, async () => {
      await using test = cluster.world({ memory: 1, idle: 1, look: 3 });
      const namespace = await freshNamespace(cluster.plane);
      const random = seededRandom(seed);
      const reader = () => read(test, cluster, namespace, random);

      const readers = Promise.all([reader(), reader(), reader()]);
      const truth = await write(cluster.client, namespace, random);
      const missing = await readers;
      await eventually(() => test.informers.report()[0]?.stats.allocated === 0, within);
      using used = await test.collections.use(cluster.type("configmap"), never);
      const shown = () => {
        const objects = keysOf(used, namespace).map((key) => used.cache.get(key));
        return Object.fromEntries(
          objects.map((each) => [textAt(each, "metadata", "name"), textAt(each, "data", "color")]),
        );
      };
      await eventually(() => isDeepStrictEqual(shown(), truth), within);

      expect(missing.flat()).to.deep.equal([]);
      expect(test.informers.report()).to.have.length(1);
      expect(await test.metrics.text()).to.match(
        /drops_total\{cluster="",reason="(idle|memory)"\} [1-9]/,
      );
    });
  }
});
