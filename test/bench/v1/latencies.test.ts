import { expect } from "chai";
import { percentiles } from "./latencies.ts";

describe("percentiles", () => {
  for (const { name, taken, expected } of [
    { name: "are 0 of nothing", taken: [], expected: [0, 0, 0, 0] },
    { name: "are all the one there is", taken: [7], expected: [7, 7, 7, 7] },
    {
      name: "do not depend on the order",
      taken: [30, 4, 100, 20],
      expected: [20, 100, 100, 100],
    },
    {
      name: "are values that so large a part does not exceed",
      taken: Array.from({ length: 100 }, (_, index) => 100 - index),
      expected: [50, 95, 99, 100],
    },
    {
      name: "keep times below 0: an event may overtake the answer",
      taken: [-3, -1, 2, 5],
      expected: [-1, 5, 5, 5],
    },
  ]) {
    it(name, () => {
      const { p50, p95, p99, max } = percentiles(taken);

      expect([p50, p95, p99, max]).to.deep.equal(expected);
    });
  }
});
