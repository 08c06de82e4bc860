import { expect } from "chai";
import { accessOf, aRule, type Held } from "./access/held.test.support.ts";
import { everything } from "./access/held-access.ts";
import type { FieldPath } from "./query/field.ts";
import { isShownToStrangers, isStranger, selectorFor, strangersNamespace } from "./strangers.ts";
import { aType } from "./types/a-type.test.support.ts";

const namespaces = aType({ kind: "Namespace", scope: "Cluster" });
const stranger = accessOf({ a: [aRule("list", "pods")] });

const namespace = {
  ...{ apiVersion: "v1", kind: "Namespace" },
  metadata: {
    ...{ name: "a", resourceVersion: "7", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" },
    ...{ ownerReferences: [{ name: "o" }], finalizers: ["f"] },
    labels: { "fleet.cattle.io/managed": "true", team: "red" },
    annotations: {
      "field.cattle.io/projectId": "c:p",
      "management.cattle.io/system-namespace": "true",
      note: "x",
    },
  },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active", conditions: [{ type: "Failed", status: "True" }] },
};

/** The paths of all texts in a tree. */
function pathsIn(tree: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (typeof tree !== "object" || tree === null) return [path];
  return Object.entries(tree).flatMap(([key, value]) => pathsIn(value, [...path, key]));
}

describe("isShownToStrangers", () => {
  it("holds for what their namespace has, and for nothing else", () => {
    const shown = pathsIn(strangersNamespace(namespace, "a")).map((path) => path.join(" "));

    expect(shown).to.have.length(8);
    for (const path of pathsIn(namespace)) {
      expect(isShownToStrangers(path), path.join(" ")).to.equal(shown.includes(path.join(" ")));
    }
  });

  for (const [path, isShown] of [
    [["id"], true],
    [["metadata", "labels", "fleet", "cattle", "io/managed"], true],
    [["metadata", "annotations", "field", "cattle", "io/projectId"], true],
    [["metadata"], false],
    [["metadata", "labels"], false],
    [["metadata", "annotations"], false],
    [["metadata", "state", "name"], false],
    [["metadata", "fields", "1"], false],
    [["spec", "displayName"], false],
    [["status"], false],
    [["_id"], false],
  ] as const) {
    it(`${isShown ? "holds" : "does not hold"} for ${path.join(".")}`, () => {
      expect(isShownToStrangers(path)).to.equal(isShown);
    });
  }
});

describe("isStranger", () => {
  for (const [held, expected] of [
    [{ a: [aRule("list", "pods")] }, true],
    [{ a: [aRule("update", "namespaces")] }, true],
    [{ a: [aRule("get", "namespaces")] }, false],
    [{ "": [aRule("list", "namespaces")] }, false],
    [{ "": [aRule("get", "namespaces", "b")], a: [aRule("list", "pods")] }, false],
  ] as readonly (readonly [Held, boolean])[]) {
    it(`${expected ? "is" : "is not"} whoever holds ${JSON.stringify(held)}`, () => {
      expect(isStranger(namespaces, accessOf(held))).to.equal(expected);
    });
  }

  it("is nobody to other types, nor who may do everything", () => {
    expect(isStranger(aType({ kind: "Pod" }), stranger)).to.equal(false);
    expect(isStranger(namespaces, everything)).to.equal(false);
  });
});

describe("selectorFor", () => {
  const managed = "fleet.cattle.io/managed";
  for (const [selector, left] of [
    ["", ""],
    ["team=red", undefined],
    ["team", undefined],
    ["team in (red,blue)", undefined],
    ["tier>1", undefined],
    ["!team", ""],
    ["team!=red,tier notin (1,2)", ""],
    [`${managed}=true`, `${managed}=true`],
    [`${managed} in (true,false),team!=red,!${managed}`, `${managed} in (true,false),!${managed}`],
    [`${managed}=true,team=red`, undefined],
  ] as const) {
    it(`leaves strangers ${left === undefined ? "nothing" : `"${left}"`} of "${selector}"`, () => {
      expect(selectorFor(selector, namespaces, stranger)).to.equal(left);
      expect(selectorFor(selector, namespaces, everything)).to.equal(selector);
    });
  }
});
