import { expect } from "chai";
import { stopTimes } from "./stop-times.ts";

describe("stopTimes", () => {
  for (const total of [25_000, 100, 600_000]) {
    it(`fits into ${total} ms`, () => {
      const { drain, grace, events, release, webhooks } = stopTimes(total);

      expect(drain + grace + 2 * events + release + webhooks).to.be.at.most(total);
      expect(drain).to.be.greaterThan(total / 2);
    });
  }
});
