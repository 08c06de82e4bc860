import { expect } from "chai";
import { Sources } from "./sources.ts";

describe("Sources", () => {
  it("groups by labels and forgets a group with its last source", () => {
    const emptied: unknown[] = [];
    const sources = new Sources<string>((labels) => emptied.push(labels));
    const first = sources.add({ name: "a" }, "one");
    const second = sources.add({ name: "a" }, "two");
    sources.add({ name: "b" }, "three");

    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect([...sources.groups()].map((group) => group.sources)).to.deep.equal([["two"], ["three"]]);
    expect(emptied).to.deep.equal([]);

    second[Symbol.dispose]();
    expect([...sources.groups()].map((group) => group.labels)).to.deep.equal([{ name: "b" }]);
    expect(emptied).to.deep.equal([{ name: "a" }]);
  });
});
