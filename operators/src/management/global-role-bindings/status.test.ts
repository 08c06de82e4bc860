import type { BindingStatus } from "@drover/crds";
import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { statusOf } from "./status.ts";

const clock = fakeClock(Date.parse("2026-01-01T00:00:00Z"));
const holding = { type: "A", status: "True", reason: "A", message: "" } as const;
const bindingWith = (status?: BindingStatus) => ({
  metadata: { name: "grb-1", generation: 3 },
  ...(status && { status }),
});

describe("statusOf", () => {
  const told = { conditions: [holding], everywhere: false };
  const first = statusOf(bindingWith(), told, clock);

  it("tells generation, time, summaries and conditions", () => {
    expect(first).to.deep.equal({
      observedGenerationLocal: 3,
      lastUpdateTime: "2026-01-01T00:00:00Z",
      summary: "Completed",
      summaryLocal: "Completed",
      localConditions: [
        { ...holding, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    });
  });

  it("is the same status when it says so already", () => {
    expect(statusOf(bindingWith(first), told, fakeClock(Date.now()))).to.equal(first);
  });

  it("keeps what other clusters say", () => {
    const remote = { summaryRemote: "Error", observedGenerationRemote: 2, remoteConditions: [] };

    expect(statusOf(bindingWith(remote), told, clock)).to.include(remote);
  });

  for (const { summaryRemote, everywhere, expected } of [
    { summaryRemote: "Error", everywhere: false, expected: "Completed" },
    { summaryRemote: "Error", everywhere: true, expected: "Error" },
    { summaryRemote: "InProgress", everywhere: true, expected: "InProgress" },
    { summaryRemote: undefined, everywhere: true, expected: "Completed" },
  ]) {
    it(`is ${expected} with ${summaryRemote} elsewhere, which ${everywhere ? "counts" : "does not count"}`, () => {
      const before = summaryRemote === undefined ? {} : { summaryRemote };

      const status = statusOf(bindingWith(before), { ...told, everywhere }, clock);

      expect(status.summary).to.equal(expected);
      expect(status.summaryLocal).to.equal("Completed");
    });
  }
});
