import { expect } from "chai";
import { eventually } from "./eventually.ts";

describe("eventually", () => {
  it("resolves with the first that is something", async () => {
    const looks = [undefined, false, 7, 8];

    expect(await eventually(() => looks.shift())).to.equal(7);
  });

  it("goes on when a look fails, and says in the end how the last one did", async () => {
    let looks = 0;
    const fails = (): never => {
      throw new Error(`failure ${++looks}`);
    };

    const refused = await eventually(fails, { within: 20, what: "a thing" }).catch(String);

    expect(looks).to.be.above(1);
    expect(refused).to.equal(`Error: not within 20 ms: a thing; at last: failure ${looks}`);
  });

  it("says no failure of one before the last", async () => {
    let looks = 0;
    const failsOnce = (): undefined => {
      if (looks++ === 0) throw new Error("at first");
    };

    const refused = await eventually(failsOnce, { within: 20, what: "a thing" }).catch(String);

    expect(refused).to.equal("Error: not within 20 ms: a thing");
  });
});
