import { expect } from "chai";
import { fakeClock } from "../testing/index.ts";
import { RecentWarnings } from "./recent-warnings.ts";

describe("RecentWarnings", () => {
  it("knows for five minutes what was said, and lets it be said again after them", async () => {
    const clock = fakeClock();
    const warnings = new RecentWarnings(clock);
    expect(warnings.repeats("down")).to.equal(false);
    expect(warnings.repeats("up")).to.equal(false);

    await clock.advance(299_999);
    expect(warnings.repeats("down")).to.equal(true);
    await clock.advance(1);

    expect([warnings.repeats("down"), warnings.repeats("down")]).to.deep.equal([false, true]);
  });

  it("forgets what is over", () => {
    const warnings = new RecentWarnings(fakeClock());
    warnings.repeats("down");

    warnings.forget("down");

    expect(warnings.repeats("down")).to.equal(false);
  });

  it("forgets the oldest of very many", () => {
    const warnings = new RecentWarnings(fakeClock());

    for (let at = 0; at <= 200; at += 1) warnings.repeats(`${at}`);

    expect([warnings.repeats("1"), warnings.repeats("0")]).to.deep.equal([true, false]);
  });
});
