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

  const failing = {
    type: "c-1.clusters.drover.dev/ClusterAdminRoleExists",
    status: "False",
    reason: "NameTaken",
    message: "rename it",
    lastTransitionTime: "x",
  } as const;

  it("sums up for administrators what clusters say, and keeps it", () => {
    const before = { ...first, remoteConditions: [failing] };
    const all = { ...told, everywhere: true, ofClusters: [failing] };

    const status = statusOf(bindingWith(before), all, clock);

    expect(status).to.include({
      summary: "Error",
      summaryLocal: "Completed",
      summaryRemote: "Error",
      observedGenerationRemote: 3,
    });
    expect(status.remoteConditions).to.deep.equal([
      failing,
      {
        type: "ClusterAdminRoleExists",
        status: "False",
        reason: "NameTaken",
        message: "cluster c-1: rename it",
        observedGeneration: 3,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ]);
    expect(statusOf(bindingWith(status), all, clock)).to.equal(status);
  });

  it("is Completed for administrators while no cluster says otherwise", () => {
    const status = statusOf(bindingWith(), { ...told, everywhere: true }, clock);

    expect(status).to.include({ summary: "Completed", summaryRemote: "Completed" });
    expect(status.remoteConditions?.map(({ type, status }) => `${type} ${status}`)).to.deep.equal([
      "ClusterAdminRoleExists True",
    ]);
  });

  it("drops what clusters that are no more said, and all of it for others than administrators", () => {
    const before = statusOf(bindingWith(), { ...told, everywhere: true }, clock);
    const stale = { ...before, remoteConditions: [...(before.remoteConditions ?? []), failing] };

    expect(statusOf(bindingWith(stale), { ...told, everywhere: true }, clock)).to.deep.equal(
      before,
    );
    expect(statusOf(bindingWith(stale), told, clock)).to.deep.equal(first);
  });
});
