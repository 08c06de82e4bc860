import { expect } from "chai";
import { fakeClock } from "../testing/index.ts";
import { Said } from "./said.ts";

describe("Said", () => {
  it("knows for five minutes what was said, and lets it be said again after them", async () => {
    const clock = fakeClock();
    const said = new Said(clock);
    expect(said.before("down")).to.equal(false);
    expect(said.before("up")).to.equal(false);

    await clock.advance(299_999);
    expect(said.before("down")).to.equal(true);
    await clock.advance(1);

    expect([said.before("down"), said.before("down")]).to.deep.equal([false, true]);
  });

  it("forgets what is over", () => {
    const said = new Said(fakeClock());
    said.before("down");

    said.forget("down");

    expect(said.before("down")).to.equal(false);
  });

  it("forgets the oldest of very many", () => {
    const said = new Said(fakeClock());

    for (let at = 0; at <= 200; at += 1) said.before(`${at}`);

    expect([said.before("1"), said.before("0")]).to.deep.equal([true, false]);
  });
});
