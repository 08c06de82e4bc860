import type { MetaCondition } from "@drover/crds";
import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { clusterConditions, sumOfClusters, tellOfCluster } from "./clusters.ts";
import { holds } from "./conditions.ts";

const clock = fakeClock(Date.parse("2026-01-01T00:00:00Z"));
const type = "Made";
const failure = { status: "False", reason: "NameTaken", message: "rename it" } as const;
const plain = { ...holds(type), lastTransitionTime: "x" } as MetaCondition;
const failing = tellOfCluster([plain], { type, cluster: "c-1", failure }, clock);

describe("conditions of clusters", () => {
  it("are there while something fails, beside the others", () => {
    expect(failing).to.deep.equal([
      plain,
      {
        ...failure,
        type: "c-1.clusters.drover.dev/Made",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ]);
  });

  it("go when all is well again", () => {
    const report = { type, cluster: "c-1", failure: undefined };

    expect(tellOfCluster(failing, report, clock)).to.deep.equal([plain]);
  });

  it("are the very same list when there is nothing new, so that a steady fleet writes nothing", () => {
    const well = { type, cluster: "c-2", failure: undefined };

    expect(tellOfCluster(failing, { type, cluster: "c-1", failure }, clock)).to.equal(failing);
    expect(tellOfCluster(failing, well, clock)).to.equal(failing);
    expect(tellOfCluster(undefined, well, clock)).to.equal(undefined);
  });

  it("count only for clusters that exist", () => {
    expect(clusterConditions(failing, () => true).map((each) => each.reason)).to.deep.equal([
      "NameTaken",
    ]);
    expect(clusterConditions(failing, () => false)).to.deep.equal([]);
  });
});

describe("sumOfClusters", () => {
  it("is True while none fails", () => {
    expect(sumOfClusters(type, [plain])).to.deep.equal(holds(type));
    expect(sumOfClusters("Other", failing ?? [])).to.deep.equal(holds("Other"));
  });

  it("names the clusters that fail", () => {
    const both = tellOfCluster(failing, { type, cluster: "c-2", failure }, clock) ?? [];

    expect(sumOfClusters(type, both)).to.deep.equal({
      type,
      status: "False",
      reason: "NameTaken",
      message: "cluster c-1: rename it; cluster c-2: rename it",
    });
  });
});
