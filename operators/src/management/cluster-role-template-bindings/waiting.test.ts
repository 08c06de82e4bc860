import type { BindingStatus } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { waiting } from "./waiting.ts";

const cluster = (status: "True" | "False") =>
  aCluster({ status: { conditions: [{ type: "Connected", status }] } });
const binding = (status?: BindingStatus) => ({
  metadata: { name: "b", namespace: "c", generation: 2 },
  ...(status && { status }),
});
const saying: BindingStatus = {
  localConditions: [
    {
      ...{ type: "ReachCluster", status: "Unknown", reason: "x", message: "" },
      lastTransitionTime: "x",
    },
  ],
};

describe("waiting", () => {
  it("names the cluster and what to look at", () => {
    const { name } = cluster("False").metadata;
    expect(waiting(binding(), aCluster({ metadata: { name } }))).to.deep.equal({
      type: "ReachCluster",
      status: "Unknown",
      reason: "WaitsForCluster",
      message: `nothing is granted in cluster "${name}" yet: that is done once it is connected; its condition Connected tells what is in the way`,
    });
  });

  for (const { name, about, connected, expected } of [
    { name: "of a new one", about: binding(), connected: "False", expected: true },
    {
      name: "of a new one in a connected cluster",
      about: binding(),
      connected: "True",
      expected: false,
    },
    {
      name: "of one that changed since the cluster told",
      about: binding({ observedGenerationRemote: 1 }),
      connected: "False",
      expected: true,
    },
    {
      name: "of one that the cluster has told of",
      about: binding({ ...saying, observedGenerationRemote: 2 }),
      connected: "False",
      expected: false,
    },
    {
      name: "of one that says so, when the cluster is back and has not told yet",
      about: binding(saying),
      connected: "True",
      expected: true,
    },
  ] as const) {
    it(`${expected ? "is said" : "is not said"} ${name}`, () => {
      expect(waiting(about, cluster(connected)) !== undefined).to.equal(expected);
    });
  }
});
