import { expect } from "chai";
import { views } from "./views.ts";

describe("views", () => {
  it("give the same lines the same name, and others another", () => {
    const viewOf = views();

    const names = (["a b", "b a", "a b", "ab c", "a bc", "a b c"] as const).map((words) =>
      viewOf(...(words.split(" ") as [string, string])),
    );

    expect(names[2]).to.equal(names[0]);
    expect(new Set(names).size).to.equal(5);
  });

  it("give lines that were forgotten a name that no other had", () => {
    const viewOf = views();
    const first = viewOf("the", "first");

    const others = Array.from({ length: 10_000 }, (_, index) => viewOf("other", `${index}`));

    expect([first, ...others]).to.not.include(viewOf("the", "first"));
  });

  it("keep little of long texts", () => {
    const viewOf = views();
    const length = 60_000;
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;

    for (let index = 0; index < 2_000; index++) viewOf("long", `${index}`.padEnd(length, "x"));

    globalThis.gc?.();
    const perText = (process.memoryUsage().heapUsed - before) / 2_000;
    expect(perText).to.be.lessThan(length / 10);
  });
});
