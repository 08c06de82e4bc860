import { expect } from "chai";
import type { Requirement } from "kopf-ts";
import { everything } from "../access/held-access.ts";
import { whole } from "../items/shape.ts";
import { Group } from "./group.ts";
import { unsaid } from "./message.ts";

/** A group of those who ask for a shape and select by labels. */
function groupOf(
  exclude: readonly string[],
  selector = "",
  requirements: readonly Requirement[] = [],
): Group {
  const view = {
    access: everything,
    base: "https://host",
    shape: { ...whole, exclude },
    cluster: "",
  };
  const scope = { reach: "all", requirements, owner: undefined } as const;
  return new Group({ view, message: { ...unsaid, selector }, scope } as never);
}

describe("Group", () => {
  it("has the same ids for who is told the same, and others for others", () => {
    const [one, same, other, few] = [["a"], ["a"], ["b"]]
      .map((exclude) => groupOf(exclude))
      .concat(groupOf(["a"], "b"));

    expect([one?.id, one?.viewId]).to.deep.equal([same?.id, same?.viewId]);
    expect(other?.viewId).to.not.equal(one?.viewId);
    expect([few?.viewId === one?.viewId, few?.id === one?.id]).to.deep.equal([true, false]);
  });

  it("tells integers of selectors apart that doubles would not", () => {
    const idOf = (value: bigint): string =>
      groupOf([], "", [{ key: "a", operator: "above", value }]).id;

    expect(idOf(9007199254740993n)).to.equal(idOf(9007199254740993n));
    expect(idOf(9007199254740993n)).to.not.equal(idOf(9007199254740992n));
  });

  it("has short ids however much is asked for: messages are kept by them", () => {
    const { id, viewId } = groupOf(["z".repeat(60_000)], "a".repeat(16_000));

    expect(id.length + viewId.length).to.be.lessThan(100);
  });
});
