import type { BindingStatus } from "@drover/crds";
import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { localStatusOf } from "./local-status.ts";

const clock = fakeClock(Date.parse("2026-01-01T00:00:00Z"));
const later = fakeClock(Date.parse("2026-01-02T00:00:00Z"));
const holding = { type: "A", status: "True", reason: "A", message: "" } as const;
const failing = { ...holding, status: "False", reason: "No", message: "no" } as const;
const bindingWith = (status?: BindingStatus) => ({
  apiVersion: "management.cattle.io/v3",
  kind: "ClusterRoleTemplateBinding",
  metadata: { name: "crtb-1", generation: 3 },
  ...(status && { status }),
});

describe("localStatusOf", () => {
  const first = localStatusOf(bindingWith(), { conditions: [holding] }, clock);

  it("tells generation, time, summaries and conditions", () => {
    expect(first).to.deep.equal({
      observedGenerationLocal: 3,
      lastUpdateTime: "2026-01-01T00:00:00Z",
      summary: "InProgress",
      summaryLocal: "Completed",
      localConditions: [
        { ...holding, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    });
  });

  it("is the same status when it says so already", () => {
    expect(localStatusOf(bindingWith(first), { conditions: [holding] }, later)).to.equal(first);
  });

  it("keeps what the cluster says", () => {
    const remote = { summaryRemote: "Error", observedGenerationRemote: 2, remoteConditions: [] };

    const status = localStatusOf(bindingWith(remote), { conditions: [holding] }, clock);

    expect(status).to.include(remote);
  });

  for (const { summaryRemote, condition, expected } of [
    { summaryRemote: "Completed", condition: holding, expected: "Completed" },
    { summaryRemote: undefined, condition: holding, expected: "InProgress" },
    { summaryRemote: "Error", condition: holding, expected: "Error" },
    { summaryRemote: "Completed", condition: failing, expected: "Error" },
  ]) {
    it(`comes to ${expected} where the cluster says ${summaryRemote} and this condition is ${condition.status}`, () => {
      const before = summaryRemote === undefined ? {} : { summaryRemote };

      const status = localStatusOf(bindingWith(before), { conditions: [condition] }, clock);

      expect(status.summary).to.equal(expected);
    });
  }

  it("has the summary that it is told", () => {
    const told = { conditions: [], summary: "Terminating" } as const;

    expect(localStatusOf(bindingWith(first), told, clock)).to.include({
      summary: "Terminating",
      summaryLocal: "Terminating",
    });
  });
});
