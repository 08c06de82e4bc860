import { expect } from "chai";
import { type Clock, systemClock } from "../base/index.ts";
import type { Condition } from "../kube/index.ts";
import { findCondition, setCondition, setNormanCondition } from "./conditions.ts";

const at = (time: string): Clock => ({ ...systemClock, now: () => Date.parse(time) });
const earlier = "2026-01-01T00:00:00Z";
const later = at("2026-01-01T00:01:00.789Z");

const ready: Condition = {
  type: "Ready",
  status: "True",
  reason: "Deployed",
  message: "",
  observedGeneration: 3,
  lastTransitionTime: earlier,
};

describe("setCondition", () => {
  it("begins a list with whole seconds in UTC", () => {
    const update = { type: "Ready", status: "False", reason: "Waiting", message: "no" } as const;

    expect(setCondition(undefined, update, later)).to.deep.equal([
      { ...update, lastTransitionTime: "2026-01-01T00:01:00Z" },
    ]);
  });

  it("returns the very same list when nothing changed", () => {
    const list = [ready];
    const update = { type: "Ready", status: "True", reason: "Deployed", observedGeneration: 3 };

    expect(setCondition(list, update as Condition & { reason: string }, later)).to.equal(list);
  });

  it("moves lastTransitionTime when the status flips", () => {
    const update = { type: "Ready", status: "False", reason: "Deployed" } as const;

    const [condition] = setCondition([ready], update, later);

    expect(condition).to.include({ status: "False", lastTransitionTime: "2026-01-01T00:01:00Z" });
  });

  for (const change of [{ reason: "Other" }, { message: "more" }, { observedGeneration: 4 }]) {
    it(`keeps lastTransitionTime for a new ${Object.keys(change)}`, () => {
      const { lastTransitionTime: _, ...said } = ready;
      const update = { ...said, reason: "Deployed", ...change };

      const [condition] = setCondition([ready], update, later);

      expect(condition).to.deep.equal({ ...ready, ...change });
    });
  }

  it("keeps the others and their order", () => {
    const list: readonly Condition[] = [
      { ...ready, type: "A" },
      { ...ready, type: "B" },
    ];

    const changed = setCondition(list, { type: "A", status: "False", reason: "X" }, later);
    const longer = setCondition(list, { type: "C", status: "True", reason: "X" }, later);

    expect(changed.map(({ type }) => type)).to.deep.equal(["A", "B"]);
    expect(changed[1]).to.equal(list[1]);
    expect(longer.map(({ type }) => type)).to.deep.equal(["A", "B", "C"]);
    expect(list[0]?.status).to.equal("True");
  });
});

describe("setNormanCondition", () => {
  const old: Condition = {
    type: "Connected",
    status: "True",
    lastTransitionTime: earlier,
    lastUpdateTime: earlier,
  };

  it("returns the very same list when nothing changed, empty reason and message included", () => {
    const list = [old];
    const update = { type: "Connected", status: "True", reason: "", message: "" } as const;

    expect(setNormanCondition(list, update, later)).to.equal(list);
  });

  it("moves lastUpdateTime alone for a new message", () => {
    const update = { type: "Connected", status: "True", message: "via replica b" } as const;

    expect(setNormanCondition([old], update, later)).to.deep.equal([
      { ...old, message: "via replica b", lastUpdateTime: "2026-01-01T00:01:00Z" },
    ]);
  });

  it("moves both times when the status flips", () => {
    const update = { type: "Connected", status: "False", reason: "Disconnected" } as const;

    expect(setNormanCondition([old], update, later)).to.deep.equal([
      {
        ...update,
        lastUpdateTime: "2026-01-01T00:01:00Z",
        lastTransitionTime: "2026-01-01T00:01:00Z",
      },
    ]);
  });

  it("gives a condition without lastTransitionTime one, and keeps it from then on", () => {
    const { lastTransitionTime: _, ...bare } = old;
    const update = { type: "Connected", status: "True", message: "m" } as const;

    const [condition] = setNormanCondition([bare], update, later);

    expect(condition?.lastTransitionTime).to.equal("2026-01-01T00:01:00Z");
  });

  it("leaves out an empty reason and message, as Go's omitempty does", () => {
    const update = { type: "Ready", status: "True", reason: "", message: "" } as const;

    expect(setNormanCondition(undefined, update, later)[0]).to.have.all.keys(
      "type",
      "status",
      "lastUpdateTime",
      "lastTransitionTime",
    );
  });
});

describe("findCondition", () => {
  it("finds by type", () => {
    expect(findCondition([ready], "Ready")).to.equal(ready);
    expect(findCondition([ready], "Other")).to.equal(undefined);
    expect(findCondition(undefined, "Ready")).to.equal(undefined);
  });
});
