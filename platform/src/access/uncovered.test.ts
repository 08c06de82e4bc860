import { covers, type PolicyRule } from "@drover/crds";
import { expect } from "chai";
import { uncovered } from "./uncovered.ts";

const rules = (count: number): readonly PolicyRule[] =>
  Array.from({ length: count }, (_, index) => ({
    verbs: ["get"],
    apiGroups: [`g${index}`],
    resources: ["r"],
  }));

describe("uncovered", () => {
  it("is what covers says", async () => {
    const { signal } = new AbortController();

    expect(await uncovered(rules(10), rules(12), signal)).to.deep.equal(
      covers(rules(10), rules(12)),
    );
  });

  it("lets others have the process while it compares thousands of rules", async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 1);

    const missing = await uncovered(rules(1_000), rules(1_000), AbortSignal.timeout(2_000));

    clearInterval(counting);
    expect(missing).to.deep.equal([]);
    expect(turns).to.be.at.least(2);
  });

  it("ends early when nobody waits any more", async () => {
    const stop = new AbortController();
    const reason = new Error("gone");
    setImmediate(() => stop.abort(reason));

    const thrown = await uncovered(rules(2_000), rules(2_000), stop.signal).catch(
      (error: unknown) => error,
    );

    expect(thrown).to.equal(reason);
  });
});
