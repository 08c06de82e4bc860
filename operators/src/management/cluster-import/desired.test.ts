import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import { isLeaving } from "./desired.ts";

describe("an object of the account", () => {
  const home: KubeObject = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "cattle-system", uid: "new" },
  };
  const owner = { apiVersion: "v1", kind: "Namespace", name: "cattle-system" };
  for (const { title, metadata, expected } of [
    { title: "stays", metadata: {}, expected: false },
    {
      title: "stays with the namespace that there is",
      metadata: { ownerReferences: [{ ...owner, uid: "new" }] },
      expected: false,
    },
    {
      title: "goes while it is being deleted",
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
      expected: true,
    },
    {
      title: "goes with a namespace of the name that is no more",
      metadata: { ownerReferences: [{ ...owner, uid: "old" }] },
      expected: true,
    },
  ]) {
    it(title, () => {
      const object = { ...home, metadata: { name: "x", ...metadata } };

      expect(isLeaving(object, home)).to.equal(expected);
    });
  }
});
