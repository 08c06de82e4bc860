import { expect } from "chai";
import { canOwn, ownerReference } from "./owner.ts";

const inNamespace = (kind: string, namespace?: string) => ({
  apiVersion: "example.com/v1",
  kind,
  metadata: { name: "x", uid: "u-1", ...(namespace && { namespace }) },
});

describe("ownerReference", () => {
  it("points to the owner as the controller that deletion waits for", () => {
    expect(ownerReference(inNamespace("Owner"))).to.deep.equal({
      apiVersion: "example.com/v1",
      kind: "Owner",
      name: "x",
      uid: "u-1",
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  it("points to one of several owners", () => {
    const options = { controller: false, blockOwnerDeletion: false };

    expect(ownerReference(inNamespace("Owner"), options)).to.include(options);
  });

  it("refuses an owner without uid", () => {
    const owner = { apiVersion: "v1", kind: "Owner", metadata: { name: "x" } };

    expect(() => ownerReference(owner)).to.throw(TypeError, "Owner x has no uid");
  });
});

describe("canOwn", () => {
  for (const { owner, dependent, expected } of [
    { owner: undefined, dependent: undefined, expected: true },
    { owner: undefined, dependent: "a", expected: true },
    { owner: "a", dependent: "a", expected: true },
    { owner: "a", dependent: "b", expected: false },
    { owner: "a", dependent: undefined, expected: false },
  ]) {
    it(`${owner ?? "cluster"} over ${dependent ?? "cluster"}: ${expected}`, () => {
      const claim = canOwn(inNamespace("Owner", owner), inNamespace("Dependent", dependent));

      expect(claim).to.equal(expected);
    });
  }
});
