import { expect } from "chai";
import { apiVersionOf, defineKind, keyOf, parseKey, refTo, resourceName } from "./kind.ts";

const Pod = defineKind({
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  scope: "Namespaced",
});
const Scale = defineKind({
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  scope: "Namespaced",
});

describe("a kind", () => {
  it("cannot be changed", () => {
    expect(() => Object.assign(Pod, { plural: "cats" })).to.throw(TypeError);
  });

  it("knows its apiVersion and the name of its resource", () => {
    expect([apiVersionOf(Pod), apiVersionOf(Scale)]).to.deep.equal(["v1", "apps/v1"]);
    expect([resourceName(Pod), resourceName(Scale)]).to.deep.equal(["pods", "deployments.apps"]);
  });

  it("makes references", () => {
    expect(refTo(Scale, "a", "x")).to.deep.equal({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "a", namespace: "x" },
    });
    expect(refTo(Pod, "a").metadata).to.deep.equal({ name: "a" });
  });
});

describe("keys", () => {
  for (const [key, metadata] of [
    ["x/a", { namespace: "x", name: "a" }],
    ["a", { name: "a" }],
    ["system:a", { name: "system:a" }],
  ] as const) {
    it(`${key} names an object and is read back`, () => {
      expect(keyOf({ apiVersion: "v1", kind: "Pod", metadata })).to.equal(key);
      expect(parseKey(key)).to.deep.equal(metadata);
    });
  }

  it("treat an empty namespace as none", () => {
    const metadata = { name: "a", namespace: "" };

    expect(keyOf({ apiVersion: "v1", kind: "Node", metadata })).to.equal("a");
  });
});
