import type { BindingStatus } from "@drover/crds";
import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { remoteStatusOf, untilTold } from "./status.ts";

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

describe("untilTold", () => {
  const aged = (seconds: number, status?: BindingStatus) => {
    const creationTimestamp = new Date(clock.now() - seconds * 1000).toISOString();
    return { metadata: { name: "b", generation: 3, creationTimestamp }, ...(status && { status }) };
  };
  const seen = { observedGenerationLocal: 3 };
  const pending = { type: "A", status: "Unknown", reason: "Waits", message: "" } as const;

  for (const { name, binding, told, expected } of [
    { name: "tells at once what is settled", binding: aged(1, seen), told: holding, expected: 0 },
    { name: "tells at once what fails", binding: aged(1, seen), told: failing, expected: 0 },
    { name: "waits while something is", binding: aged(1, seen), told: pending, expected: 29_000 },
    { name: "waits for the other half", binding: aged(10), told: holding, expected: 20_000 },
    {
      name: "waits for the other half of this generation",
      binding: aged(0, { observedGenerationLocal: 2 }),
      told: failing,
      expected: 30_000,
    },
    {
      name: "waits no longer than from now on",
      binding: aged(-5),
      told: holding,
      expected: 30_000,
    },
    { name: "tells all of an older one", binding: aged(30, seen), told: pending, expected: 0 },
    { name: "tells all by a clock far behind", binding: aged(-3600), told: pending, expected: 0 },
    { name: "tells all of one without a time", binding: bindingWith(), told: pending, expected: 0 },
  ]) {
    it(name, () => expect(untilTold(binding, [told], clock)).to.equal(expected));
  }
});
