import { expect } from "chai";
import { silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import { KnownTypes } from "../types/known-types.ts";
import { CountsFeed } from "./feed.ts";
import { aType } from "./types.test.support.ts";

const nobody = { of: () => undefined, onChange: () => ({ [Symbol.dispose]: () => undefined }) };

describe("CountsFeed", () => {
  it("looks at nothing more for somebody who has gone", async () => {
    const types = new KnownTypes(silentLogger);
    types.replace(
      Array.from({ length: 100 }, (_, index) => aType(`t${index}`, `T${index}`, "Cluster")),
    );
    let looks = 0;
    const isSlow = (): boolean => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      return ++looks > 0;
    };
    const parts = { types, inventory: nobody, clock: systemClock, log: silentLogger };
    const feed = new CountsFeed({ ...parts, isListed: isSlow });

    const watch = feed.subscribe(everything, () => undefined);
    await eventually(() => looks > 0, { within: 10_000 });
    watch[Symbol.dispose]();
    const before = looks;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);

    expect(before).to.be.lessThan(100);
    expect(looks).to.equal(before);
  }).timeout(20_000);
});
