import { expect } from "chai";
import { StartQueue } from "./start-queue.ts";

describe("clusters that begin", () => {
  let begun: string[];
  let queue: StartQueue<string>;
  beforeEach(() => {
    begun = [];
    queue = new StartQueue((name, how) => begun.push(`${name}:${how}`));
    queue.limit = 2;
  });

  it("are no more at once than allowed, in their order", () => {
    for (const name of ["a", "b", "c", "d"]) queue.add(name, "1");
    expect(begun).to.deep.equal(["a:1", "b:1"]);

    queue.done("b");

    expect(begun).to.deep.equal(["a:1", "b:1", "c:1"]);
  });

  it("do not begin twice in the same way, but anew in another", () => {
    queue.add("a", "1");
    queue.add("a", "1");
    queue.done("a");
    queue.add("a", "1");
    expect(begun).to.deep.equal(["a:1"]);

    queue.add("a", "2");

    expect(begun).to.deep.equal(["a:1", "a:2"]);
  });

  it("make room when they are dropped, and may come again", () => {
    for (const name of ["a", "b", "c"]) queue.add(name, "1");

    queue.drop("a");
    queue.drop("c");
    queue.add("a", "1");

    expect(begun).to.deep.equal(["a:1", "b:1", "c:1", "a:1"]);
  });

  it("begin more at once when more are allowed", () => {
    for (const name of ["a", "b", "c", "d"]) queue.add(name, "1");
    queue.limit = 3;

    queue.done("a");

    expect(begun).to.have.length(4);
  });
});
