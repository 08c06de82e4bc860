import { expect } from "chai";
import { Background, defineKind, Store, silentLogger } from "kopf-ts";
import { type Random, seededRandom } from "kopf-ts/testing";
import { scanObject } from "kopf-ts/watch";
import type { ResourceType } from "../types/resource-type.ts";
import { DigestReader } from "./digest.ts";
import { Edges } from "./edges.ts";
import { membersOf } from "./few.ts";
import { columnsOf, KeptType } from "./kept.ts";

const seed = Number(process.env.INVENTORY_SEED ?? 1);
const names = ["a", "b", "c", "d"] as const;
const namespaces = ["x", "y"] as const;

const things: ResourceType = {
  ...{ id: "thing", pluralName: "things", columns: [], cells: undefined, columnPaths: undefined },
  kind: defineKind({
    group: "",
    version: "v1",
    plural: "things",
    kind: "Thing",
    scope: "Namespaced",
  }),
  verbs: ["list", "watch"],
  ...{ preferredVersion: undefined, preferredGroup: undefined, observesGeneration: false },
  ...{ crd: false, aggregated: false, schema: undefined, description: "", table: true },
};

/** An object of few words. */
interface Thing {
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly string[];
  readonly failed: boolean;
}

function aThing(random: Random): Thing {
  const owners = names.filter(() => random.chance(0.3));
  const [namespace, name] = [random.pick(namespaces), random.pick(names)];
  return { namespace, name, owners, failed: random.chance(0.4) };
}

function bytesOf({ namespace, name, owners, failed }: Thing, version: number) {
  const ownerReferences = owners.map((owner) => ({ apiVersion: "v1", kind: "Thing", name: owner }));
  const bytes = Buffer.from(
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Thing" },
      metadata: {
        ...{ namespace, name, uid: `${namespace}-${name}`, ownerReferences },
        resourceVersion: String(version),
      },
      status: { conditions: failed ? [{ type: "Failed", status: "True" }] : [] },
    }),
  );
  return scanObject(bytes, 0, bytes.length);
}

/** A type in step with a cache. */
async function aKeptType() {
  const store = new Store(things.kind, {
    keep: "columns",
    background: new Background(silentLogger),
  });
  await store.addColumns(columnsOf(things, () => 0));
  const edges = new Edges(() => true);
  const told: string[] = [];
  let standings = 0;
  const parts = {
    ...{ edges, digests: new DigestReader(), onTally: (id: string) => told.push(id) },
    onStanding: () => standings++,
  };
  const kept = new KeptType(things, store, parts);
  store.subscribe(({ key }) => kept.take(key));
  store.begin();
  store.end("1");
  return { store, edges, kept, told, standings: () => standings };
}

/** One change to the cache and to the model; whether no count differs by it. */
function change(random: Random, store: Store, model: Map<string, Thing>, version: number): boolean {
  const thing = aThing(random);
  const key = `${thing.namespace}/${thing.name}`;
  const before = model.get(key);
  const object = bytesOf(thing, version);
  const isGone = random.chance(0.3);
  if (object !== undefined) store.change(isGone ? "DELETED" : "MODIFIED", object);
  if (isGone) model.delete(key);
  else model.set(key, thing);
  return isGone ? before === undefined : before?.failed === thing.failed;
}

describe("the objects that an inventory keeps", () => {
  for (const round of Array.from({ length: 10 }).keys()) {
    it(`are those that the cache tells of (seed ${seed + round})`, async () => {
      const random = seededRandom(seed + round);
      const { store, edges, kept, told, standings } = await aKeptType();
      const model = new Map<string, Thing>();

      for (let version = 2; version < 300; version++) {
        const before = [standings(), known(kept, edges)] as const;
        const isAlike = change(random, store, model, version);
        expect(standings() !== before[0]).to.equal(known(kept, edges) !== before[1]);
        expect(told.splice(0)).to.deep.equal(isAlike ? [] : ["thing"]);
        expect(tallies(kept)).to.deep.equal(expectedTallies(model));
        expect(pointers(edges)).to.deep.equal(expectedPointers(model));
      }

      const last = standings();
      for (const _ of kept.clear());
      expect(standings()).to.be.greaterThan(last);
      expect(pointers(edges)).to.deep.equal([]);
    });
  }
});

/** How all objects are, and what they have to do with each other, as text. */
function known(kept: KeptType, edges: Edges): string {
  const states = namespaces.map((namespace) =>
    names.map((name) => kept.standingOf(namespace, name) ?? null),
  );
  return JSON.stringify([states, pointers(edges)]);
}

function tallies({ namespaces: all, total }: KeptType): unknown {
  const told = (tally: { count: number; errors: number }) => [tally.count, tally.errors];
  return [told(total), [...all].map(([name, tally]) => [name, ...told(tally)]).sort()];
}

function expectedTallies(model: ReadonlyMap<string, Thing>): unknown {
  const all = [...model.values()];
  const told = (things: readonly Thing[]) => [
    things.length,
    things.filter(({ failed }) => failed).length,
  ];
  const within = namespaces.map((each) => all.filter(({ namespace }) => namespace === each));
  return [
    told(all),
    within.flatMap((things) => (things[0] ? [[things[0].namespace, ...told(things)]] : [])).sort(),
  ];
}

/** `owner < object`, with namespaces. */
function pointers(edges: Edges): readonly string[] {
  return namespaces
    .flatMap((namespace) =>
      names.flatMap((name) =>
        [...edges.at("thing", namespace, name)].flatMap(({ source }) =>
          [...membersOf(source.members)].map((key) => `${namespace}/${name} < ${key}`),
        ),
      ),
    )
    .sort();
}

function expectedPointers(model: ReadonlyMap<string, Thing>): readonly string[] {
  return [...model]
    .flatMap(([key, { namespace, owners }]) =>
      owners.map((owner) => `${namespace}/${owner} < ${key}`),
    )
    .sort();
}

it("says that all was read, which is news of its counts", async () => {
  const { kept, told } = await aKeptType();
  expect([kept.synced, told]).to.deep.equal([false, []]);

  kept.fill();

  expect([kept.synced, told]).to.deep.equal([true, ["thing"]]);
});
