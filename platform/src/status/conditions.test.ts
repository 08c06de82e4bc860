import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { conditionsOf, holds, overall, summaryOf, tellFailures } from "./conditions.ts";

const clock = fakeClock(Date.parse("2026-01-01T00:00:00Z"));
const failed = { type: "B", status: "False", reason: "No", message: "no" } as const;

describe("summaryOf", () => {
  for (const { statuses, expected } of [
    { statuses: [], expected: "Completed" },
    { statuses: ["True", "True"], expected: "Completed" },
    { statuses: ["True", "Unknown"], expected: "InProgress" },
    { statuses: ["Unknown", "False"], expected: "Error" },
  ] as const) {
    it(`is ${expected} for [${statuses.join(", ")}]`, () => {
      expect(summaryOf(statuses.map((status) => ({ status })))).to.equal(expected);
    });
  }
});

describe("overall", () => {
  for (const { summaries, expected } of [
    { summaries: ["Completed", undefined], expected: "Completed" },
    { summaries: ["Completed", "InProgress"], expected: "InProgress" },
    { summaries: ["InProgress", "Terminating"], expected: "Terminating" },
    { summaries: ["Completed", "Error", "InProgress"], expected: "Error" },
  ]) {
    it(`is ${expected} for [${summaries.join(", ")}]`, () => {
      expect(overall(summaries)).to.equal(expected);
    });
  }
});

describe("conditionsOf", () => {
  const told = [holds("A"), failed];
  const first = conditionsOf(undefined, told, clock);

  it("dates each condition", () => {
    expect(first).to.deep.equal([
      { ...holds("A"), lastTransitionTime: "2026-01-01T00:00:00Z" },
      { ...failed, lastTransitionTime: "2026-01-01T00:00:00Z" },
    ]);
  });

  it("is the same list when nothing changed", () => {
    expect(conditionsOf(first, told, clock)).to.equal(first);
  });

  it("drops types that are no longer told", () => {
    expect(conditionsOf(first, [failed], clock).map(({ type }) => type)).to.deep.equal(["B"]);
  });

  it("keeps the time of a condition whose status stays", async () => {
    const later = fakeClock(Date.parse("2026-01-02T00:00:00Z"));

    const [a, b] = conditionsOf(first, [holds("A"), { ...failed, message: "still no" }], later);

    expect(a?.lastTransitionTime).to.equal("2026-01-01T00:00:00Z");
    expect(b).to.include({ message: "still no", lastTransitionTime: "2026-01-01T00:00:00Z" });
  });
});

describe("tellFailures", () => {
  const told = (before: readonly { readonly message: string }[]) => {
    const events: unknown[] = [];
    const old = before.map((each) => ({ ...failed, ...each, lastTransitionTime: "" }));
    tellFailures({ event: (event) => void events.push(event) }, old, [holds("A"), failed]);
    return events;
  };

  it("tells what fails now, and did not before", () => {
    const event = { type: "Warning", reason: "No", action: "Reconcile", message: "no" };

    expect(told([])).to.deep.equal([event]);
    expect(told([{ message: "for another reason" }])).to.deep.equal([event]);
  });

  it("does not repeat itself", () => {
    expect(told([{ message: "no" }])).to.deep.equal([]);
  });
});
