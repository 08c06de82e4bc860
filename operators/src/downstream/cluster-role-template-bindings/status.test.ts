import type { BindingStatus } from "@drover/crds";
import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { remoteStatusOf } from "./status.ts";

const clock = fakeClock(Date.parse("2026-01-01T00:00:00Z"));
const holding = { type: "A", status: "True", reason: "A", message: "" } as const;
const failing = { type: "A", status: "False", reason: "No", message: "no" } as const;
const bindingWith = (status?: BindingStatus) => ({
  metadata: { name: "b", generation: 3 },
  ...(status && { status }),
});

describe("remoteStatusOf", () => {
  const local = { summaryLocal: "Completed", observedGenerationLocal: 2, localConditions: [] };
  const first = remoteStatusOf(bindingWith(local), [holding], clock);

  it("tells its half, and keeps the other", () => {
    expect(first).to.deep.equal({
      ...local,
      observedGenerationRemote: 3,
      lastUpdateTime: "2026-01-01T00:00:00Z",
      summary: "Completed",
      summaryRemote: "Completed",
      remoteConditions: [
        { ...holding, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    });
  });

  it("is the same status when it says so already", () => {
    expect(remoteStatusOf(bindingWith(first), [holding], fakeClock(Date.now()))).to.equal(first);
  });

  for (const { summaryLocal, told, expected } of [
    { summaryLocal: undefined, told: holding, expected: "InProgress" },
    { summaryLocal: "Error", told: holding, expected: "Error" },
    { summaryLocal: "Completed", told: failing, expected: "Error" },
  ]) {
    it(`is ${expected} with ${summaryLocal} on the management cluster and ${told.status} here`, () => {
      const before = summaryLocal === undefined ? {} : { summaryLocal };

      const { summary, summaryRemote } = remoteStatusOf(bindingWith(before), [told], clock);

      expect(summary).to.equal(expected);
      expect(summaryRemote).to.equal(told === holding ? "Completed" : "Error");
    });
  }
});
