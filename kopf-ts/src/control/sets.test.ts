import { expect } from "chai";
import { setsOf } from "./sets.ts";

describe("setsOf", () => {
  for (const { name, hub, side, expected } of [
    { name: "nothing within a cluster", hub: undefined, side: "cluster", expected: undefined },
    {
      name: "no reference from the hub to an owner in a cluster",
      hub: undefined,
      side: "hub",
      expected: { scope: "c-1", ownersElsewhere: true },
    },
    {
      name: "no reference from a cluster to an owner in the hub",
      hub: true,
      side: "cluster",
      expected: { scope: "c-1", ownersElsewhere: true },
    },
    {
      name: "sets of each cluster in the hub, for owners there",
      hub: {},
      side: "hub",
      expected: { scope: "c-1", ownersElsewhere: false },
    },
  ] as const) {
    it(`asks for ${name}`, () => expect(setsOf({ hub }, side, "c-1")).to.deep.equal(expected));
  }
});
