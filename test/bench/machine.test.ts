import { expect } from "chai";
import { machineOf, paces } from "./machine.ts";

describe("machineOf", () => {
  it("tells the fastest, and what the slowest tenth took at least", () => {
    const all = [...Array(17).fill(2), 5, 4, 1, 3, 9];

    expect(machineOf(all)).to.deep.equal({ machine_best_ms: 1, machine_p90_ms: 4 });
  });

  it("is told of some hundred times the same", () => {
    const { machine_best_ms = 0, machine_p90_ms = 0 } = machineOf(paces());

    expect(machine_best_ms).to.be.greaterThan(0);
    expect(machine_p90_ms).to.be.at.least(machine_best_ms);
  });
});
