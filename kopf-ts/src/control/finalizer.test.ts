import { expect } from "chai";
import type { KubeObject, ObjectMeta } from "../kube/index.ts";
import { additionOf, hasFinalizer, removalOf } from "./finalizer.ts";

const ours = "kopf-ts.dev/test";

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata } };
}

describe("additionOf", () => {
  const stays = { op: "test", path: "/metadata/deletionTimestamp", value: null };

  it("makes the list where there is none, of the same object, which stays", () => {
    expect(additionOf(object({ uid: "u" }), ours)).to.deep.equal([
      { op: "test", path: "/metadata/uid", value: "u" },
      stays,
      { op: "test", path: "/metadata/finalizers", value: null },
      { op: "add", path: "/metadata/finalizers", value: [ours] },
    ]);
  });

  it("leaves those of others where they are", () => {
    expect(additionOf(object({ finalizers: ["other"] }), ours)).to.deep.equal([
      stays,
      { op: "test", path: "/metadata/finalizers", value: ["other"] },
      { op: "add", path: "/metadata/finalizers/-", value: ours },
    ]);
  });
});

describe("removalOf", () => {
  it("removes ours from between others, if it is still there", () => {
    expect(removalOf(object({ uid: "u", finalizers: ["a", ours, "b"] }), ours)).to.deep.equal([
      { op: "test", path: "/metadata/uid", value: "u" },
      { op: "test", path: "/metadata/finalizers/1", value: ours },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
  });
});

describe("hasFinalizer", () => {
  for (const { name, finalizers, expected } of [
    { name: "no list", finalizers: undefined, expected: false },
    { name: "others", finalizers: ["other"], expected: false },
    { name: "ours among others", finalizers: ["other", ours], expected: true },
  ]) {
    it(`${expected} for ${name}`, () => {
      expect(hasFinalizer(object(finalizers === undefined ? {} : { finalizers }), ours)).to.equal(
        expected,
      );
    });
  }
});
