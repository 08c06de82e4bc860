import { expect } from "chai";
import type { JsonPatchOperation } from "../../kube/index.ts";
import { seededRandom } from "../../testing/index.ts";
import { jsonPatch } from "./json-patch.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Applies a patch of object fields, as RFC 6902 says; the tests' own, so that it shares no fault with the code. */
function applied(document: Json, steps: readonly JsonPatchOperation[]): Json {
  const root = { "": structuredClone(document) } as Record<string, Json>;
  for (const step of steps) {
    const path = step.path
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = path.at(-1) ?? "";
    const parent = path
      .slice(0, -1)
      .reduce<Record<string, Json>>((at, name) => at[name] as Record<string, Json>, root);
    if (step.op === "remove") {
      if (!Object.hasOwn(parent, last)) throw new Error(`nothing to remove at ${step.path}`);
      delete parent[last];
    } else if (step.op === "add" || step.op === "replace") {
      if (step.op === "replace" && !Object.hasOwn(parent, last)) throw new Error("nothing there");
      parent[last] = structuredClone(step.value) as Json;
    }
  }
  return root[""] as Json;
}

describe("jsonPatch", () => {
  for (const { name, from, to, patch } of [
    { name: "equal objects", from: { a: [1, { b: 2 }] }, to: { a: [1, { b: 2 }] }, patch: [] },
    {
      name: "a new field",
      from: {},
      to: { a: { b: 1 } },
      patch: [{ op: "add", path: "/a", value: { b: 1 } }],
    },
    {
      name: "a changed field deep inside",
      from: { a: { b: 1, c: 2 } },
      to: { a: { b: 3, c: 2 } },
      patch: [{ op: "replace", path: "/a/b", value: 3 }],
    },
    { name: "a field that goes", from: { a: 1 }, to: {}, patch: [{ op: "remove", path: "/a" }] },
    {
      name: "a field that becomes undefined",
      from: { a: 1 },
      to: { a: undefined },
      patch: [{ op: "remove", path: "/a" }],
    },
    { name: "a field that stays undefined", from: {}, to: { a: undefined }, patch: [] },
    {
      name: "null, which is a value",
      from: { a: null, b: 1 },
      to: { a: 1, b: null },
      patch: [
        { op: "replace", path: "/a", value: 1 },
        { op: "replace", path: "/b", value: null },
      ],
    },
    {
      name: "a list, which is replaced whole",
      from: { a: [1, 2, 3] },
      to: { a: [1, 3] },
      patch: [{ op: "replace", path: "/a", value: [1, 3] }],
    },
    {
      name: "a list in another order",
      from: { a: [1, 2] },
      to: { a: [2, 1] },
      patch: [{ op: "replace", path: "/a", value: [2, 1] }],
    },
    { name: "an item that is undefined, null in JSON", from: [null], to: [undefined], patch: [] },
    {
      name: "an object that becomes a list",
      from: { a: {} },
      to: { a: [] },
      patch: [{ op: "replace", path: "/a", value: [] }],
    },
    {
      name: "slashes and tildes in names",
      from: { "a/b": 1 },
      to: { "a/b": 2, "c~d/e": 3 },
      patch: [
        { op: "replace", path: "/a~1b", value: 2 },
        { op: "add", path: "/c~0d~1e", value: 3 },
      ],
    },
    {
      name: "names that every object inherits",
      from: {},
      to: { constructor: 1 },
      patch: [{ op: "add", path: "/constructor", value: 1 }],
    },
    {
      name: "such a name that goes",
      from: { toString: 1 },
      to: {},
      patch: [{ op: "remove", path: "/toString" }],
    },
    { name: "another root", from: 1, to: 2, patch: [{ op: "replace", path: "", value: 2 }] },
  ]) {
    it(`knows ${name}`, () => expect(jsonPatch(from, to)).to.deep.equal(patch));
  }

  it("leads from any object to any other, and is empty for the same", () => {
    const random = seededRandom(7);
    const names = ["a", "b/c", "~", "~1", "", "constructor", "é"];
    const leaves: readonly (() => Json)[] = [
      () => null,
      () => random.below(3),
      () => random.chance(0.5),
      () => `${random.below(3)}`,
    ];
    const inner = (depth: number): readonly (() => Json)[] => [
      () => Array.from({ length: random.below(3) }, () => value(depth + 1)),
      () => {
        const some = names.filter(() => random.chance(0.5));
        return Object.fromEntries(some.map((name) => [name, value(depth + 1)]));
      },
    ];
    const value = (depth: number): Json => {
      const makers = depth > 3 ? leaves : [...leaves, ...inner(depth)];
      return makers[random.below(makers.length)]?.() ?? null;
    };

    for (let round = 0; round < 2000; round++) {
      const [from, to] = [value(0), value(0)];
      expect(applied(from, jsonPatch(from, to))).to.deep.equal(to);
      expect(jsonPatch(from, structuredClone(from))).to.deep.equal([]);
    }
  });
});
