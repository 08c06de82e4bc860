import { expect } from "chai";
import { views } from "./views.ts";

describe("views", () => {
  it("give the same text the same name, and another another", () => {
    const viewOf = views();

    const names = ["a", "b", "a", "ab"].map(viewOf);

    expect(names[2]).to.equal(names[0]);
    expect(new Set(names).size).to.equal(3);
  });

  it("give a text that was forgotten a name that no other had", () => {
    const viewOf = views();
    const first = viewOf("first");

    const others = Array.from({ length: 10_000 }, (_, index) => viewOf(`other ${index}`));

    expect([first, ...others]).to.not.include(viewOf("first"));
  });

  it("keep little of long texts", () => {
    const viewOf = views();
    const length = 60_000;
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;

    for (let index = 0; index < 2_000; index++) viewOf(`${index}`.padEnd(length, "x"));

    globalThis.gc?.();
    const perText = (process.memoryUsage().heapUsed - before) / 2_000;
    expect(perText).to.be.lessThan(length / 10);
  });
});
