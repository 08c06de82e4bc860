import { expect } from "chai";
import { defineKind, type Kind, silentLogger, systemClock } from "kopf-ts";
import type { Access } from "../access/access.ts";
import { accessOf, aRule, type Held } from "../access/held.test.support.ts";
import { everything } from "../access/held-access.ts";
import type { KeptType } from "../inventory/kept.ts";
import { methodsOf } from "../schemas/methods.ts";
import { Slices } from "../slices.ts";
import { KnownTypes } from "../types/known-types.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { CountsParts, ItemCount } from "./counts.ts";
import { countsJson } from "./json.ts";
import { keptParts, keptType } from "./kept.test.support.ts";
import { aType } from "./types.test.support.ts";

const { signal } = new AbortController();

const things = aType("things", "Thing", "Namespaced");
const nodes = aType("nodes", "Node", "Cluster");
const namespaces = aType("namespaces", "Namespace", "Cluster");
const unlisted = { ...aType("reviews", "Review", "Cluster"), verbs: ["create"] };
const late = aType("laters", "Later", "Namespaced");
const unread = aType("unreads", "Unread", "Namespaced");
const unknown = aType("unknowns", "Unknown", "Namespaced");

const failed = { conditions: [{ type: "Failed", status: "True" }] };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] };

/** An inventory with objects, by type. */
async function inventoryOf(all: ReadonlyMap<ResourceType, readonly object[]>) {
  const kept = new Map<string, KeptType>();
  const parts = keptParts();
  for (const [type, objects] of all) {
    const state = type === unread ? "unread" : "read";
    kept.set(type.id, await keptType(type, objects, state, parts));
  }
  return { of: (id: string) => kept.get(id) };
}

const inExt = (kind: Kind) => defineKind({ ...kind, group: "ext.cattle.io" });
const thing = (namespace: string, name: string, fields: object = {}, metadata: object = {}) => ({
  metadata: { namespace, name, uid: `${namespace}-${name}`, resourceVersion: "1", ...metadata },
  ...fields,
});
const outside = (name: string) => ({ metadata: { name, uid: name, resourceVersion: "1" } });

const objects = new Map([
  [
    things,
    [
      thing("a", "one"),
      thing("a", "bad", { status: failed }),
      thing("a", "going", {}, going),
      thing("b", "one"),
      thing("c", "both", { status: failed }),
    ],
  ],
  [nodes, [outside("n1"), outside("n2")]],
  [namespaces, ["a", "b", "c"].map(outside)],
  [late, []],
  [unread, [thing("a", "one")]],
]);

const a: ItemCount["summary"] = {
  count: 3,
  states: { error: 1, "in-progress": 1 },
  errors: 1,
  transitioning: 1,
};
const b = { count: 1 };
const c = { count: 1, states: { error: 1 }, errors: 1 };

/** What was written, read. */
async function countsOf(parts: CountsParts, access: Access, signal: AbortSignal) {
  const written = await countsJson(parts, access, new Slices(systemClock, signal));
  return JSON.parse(Buffer.concat(written).toString());
}

describe("counts", () => {
  const types = new KnownTypes(silentLogger);
  types.replace([things, nodes, namespaces, unlisted, late, unread, unknown]);
  const onlyNamespaces = new KnownTypes(silentLogger);
  onlyNamespaces.replace([namespaces]);
  const isListed = (type: ResourceType, access: Parameters<typeof methodsOf>[1]): boolean =>
    methodsOf(type, access).collectionMethods.length > 0;

  for (const { name, held, expected } of [
    {
      name: "everything",
      held: undefined,
      expected: {
        thing: {
          summary: {
            count: 5,
            states: { error: 2, "in-progress": 1 },
            errors: 2,
            transitioning: 1,
          },
          namespaces: { a, b, c },
        },
        node: { summary: { count: 2 } },
        namespace: { summary: { count: 3 } },
        later: { summary: {} },
      },
    },
    {
      name: "whole namespaces",
      held: { a: [aRule("list", "things")], x: [aRule("list", "things")] },
      expected: {
        thing: { summary: a, namespaces: { a } },
        namespace: { summary: { count: 1 } },
      },
    },
    {
      name: "get where list is not allowed",
      held: { b: [aRule("get", "things")] },
      expected: {
        thing: { summary: b, namespaces: { b } },
        namespace: { summary: { count: 1 } },
      },
    },
    {
      name: "names in a namespace",
      held: { a: [aRule("get", "things", "bad", "missing")], b: [aRule("list", "things", "no")] },
      expected: {
        thing: {
          summary: { count: 1, states: { error: 1 }, errors: 1 },
          namespaces: { a: { count: 1, states: { error: 1 }, errors: 1 } },
        },
        namespace: { summary: { count: 2 } },
      },
    },
    {
      name: "names in every namespace, beside a whole one",
      held: { "": [aRule("list", "things", "one", "both")], a: [aRule("list", "things")] },
      expected: {
        thing: {
          summary: {
            count: 5,
            states: { error: 2, "in-progress": 1 },
            errors: 2,
            transitioning: 1,
          },
          namespaces: { a, b, c },
        },
        namespace: { summary: { count: 1 } },
      },
    },
    {
      name: "names outside of namespaces",
      held: { "": [aRule("get", "nodes", "n2", "n3"), aRule("list", "namespaces", "c")] },
      expected: {
        node: { summary: { count: 1 } },
        namespace: { summary: { count: 1 } },
      },
    },
    {
      name: "rights in a namespace to what is in none",
      held: { a: [aRule("list", "nodes")] },
      expected: { namespace: { summary: { count: 1 } } },
    },
    { name: "nothing", held: {}, expected: { namespace: { summary: {} } } },
  ] as readonly {
    readonly name: string;
    readonly held: Held | undefined;
    readonly expected: object;
  }[]) {
    it(`counts what a caller sees by ${name}`, async () => {
      const access = held === undefined ? everything : accessOf(held);
      const inventory = await inventoryOf(objects);

      const counts = await countsOf({ types, inventory, isListed }, access, signal);

      expect(counts).to.deep.equal(expected);
    });
  }

  it("tells how namespaces are to those alone who may read them", async () => {
    const bad = { ...outside("a"), status: failed };
    const inventory = await inventoryOf(new Map([[namespaces, [bad]]]));
    const parts = { types: onlyNamespaces, inventory, isListed };
    const counted = (rule: string): ReturnType<typeof countsOf> =>
      countsOf(parts, accessOf({ a: [aRule("list", rule)] }), signal);

    expect(await counted("things")).to.deep.equal({ namespace: { summary: { count: 1 } } });
    expect(await counted("namespaces")).to.deep.equal({
      namespace: { summary: { count: 1, states: { error: 1 }, errors: 1 } },
    });
  });

  it("leaves out what callers see only their own of, but for those who may list everything", async () => {
    const token = aType("tokens", "Token", "Cluster");
    const tokens = { ...token, id: "ext.cattle.io.token", kind: inExt(token.kind) };
    const known = new KnownTypes(silentLogger);
    known.replace([tokens]);
    const inventory = await inventoryOf(new Map([[tokens, [outside("mine"), outside("theirs")]]]));
    const parts = { types: known, inventory, isListed };
    const rules = { "": [{ ...aRule("get,list", "tokens"), apiGroups: [tokens.kind.group] }] };

    expect(await countsOf(parts, accessOf(rules), signal)).to.deep.equal({});
    expect(await countsOf(parts, everything, signal)).to.deep.equal({
      [tokens.id]: { summary: { count: 2 } },
    });
  });

  it("lets others have their turn within a type of many namespaces too", async () => {
    const known = new KnownTypes(silentLogger);
    known.replace([things]);
    const many = Array.from({ length: 1000 }, (_, index) => thing(`n${index}`, "a"));
    const inventory = await inventoryOf(new Map([[things, many]]));
    let [now, turns] = [0, 0];
    const slices = new Slices({ ...systemClock, monotonic: () => now++ }, signal);
    const turn = (): void => {
      turns++;
      if (!isWritten) setImmediate(turn);
    };
    let isWritten = false;
    setImmediate(turn);

    const written = await countsJson({ types: known, inventory, isListed }, everything, slices);
    isWritten = true;

    expect(turns).to.be.at.least(100);
    const { thing: count } = JSON.parse(Buffer.concat(written).toString());
    expect(count.summary).to.deep.equal({ count: 1000 });
    expect(Object.keys(count.namespaces)).to.have.length(1000);
  });

  it("ends when nobody waits any more", async () => {
    const many = new KnownTypes(silentLogger);
    many.replace(
      Array.from({ length: 200 }, (_, index) => aType(`t${index}`, `T${index}`, "Cluster")),
    );
    const until = performance.now() + 20;
    const isSlow = (): boolean => {
      while (performance.now() < until);
      return true;
    };
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error("gone")));

    const inventory = await inventoryOf(new Map());
    const parts = { types: many, inventory, isListed: isSlow };
    const thrown = await countsOf(parts, everything, stop.signal).catch((error) => error);

    expect(thrown).to.have.property("message", "gone");
  });
});
