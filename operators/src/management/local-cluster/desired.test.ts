import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import {
  desiredOwners,
  desiredSpec,
  desiredStatus,
  isOutdated,
  newCluster,
  newNamespace,
} from "./desired.ts";

const clock = fakeClock(Date.parse("2026-01-02T03:04:05Z"));
const time = "2026-01-02T03:04:05Z";

describe("the Cluster local", () => {
  it("is internal, and has the workspace and the folder of upstream", () => {
    expect(newCluster().spec).to.deep.equal({
      internal: true,
      displayName: "local",
      fleetWorkspaceName: "fleet-local",
      dockerRootDir: "/var/lib/docker",
    });
    expect(isOutdated(newCluster())).to.equal(false);
  });

  for (const { title, spec, expected } of [
    {
      title: "a name that a person chose",
      spec: { displayName: "home" },
      expected: { displayName: "home" },
    },
    {
      title: "what others wrote",
      spec: { description: "ours" },
      expected: { description: "ours" },
    },
    {
      title: "not an internal that is off",
      spec: { internal: false },
      expected: { internal: true },
    },
  ]) {
    it(`keeps ${title}`, () => {
      expect(desiredSpec(spec)).to.include(expected);
      expect(isOutdated({ ...newCluster(), spec })).to.equal(true);
      expect(isOutdated({ ...newCluster(), spec: desiredSpec(spec) })).to.equal(false);
    });
  }

  for (const { title, status, options, expected } of [
    { title: "imported", status: {}, options: {}, expected: "imported" },
    {
      title: "local when the server brought it",
      status: {},
      options: { embedded: true },
      expected: "local",
    },
    {
      title: "what was found out",
      status: { driver: "k3s" },
      options: { embedded: true },
      expected: "k3s",
    },
  ]) {
    it(`has the driver ${title}`, () => {
      expect(desiredStatus(status, clock, options).driver).to.equal(expected);
    });
  }

  it("is ready unless something says otherwise, and connected in any case", () => {
    const dates = { lastTransitionTime: time, lastUpdateTime: time };
    const unwell = { type: "Ready", status: "False", reason: "Broken" } as const;
    const away = {
      type: "Connected",
      status: "False",
      lastTransitionTime: "2020-01-01T00:00:00Z",
    } as const;

    const fresh = desiredStatus({}, clock).conditions;
    const kept = desiredStatus({ conditions: [unwell, away] }, clock).conditions;

    expect(fresh).to.deep.equal([
      { type: "Ready", status: "True", ...dates },
      { type: "Connected", status: "True", ...dates },
    ]);
    expect(kept).to.deep.equal([unwell, { type: "Connected", status: "True", ...dates }]);
  });

  it("wants nothing more of a status that it made, whatever the time", () => {
    const status = desiredStatus({ nodeCount: 3 }, clock);

    expect(desiredStatus(status, fakeClock(0))).to.deep.equal(status);
    expect(status.nodeCount).to.equal(3);
  });

  it("owns its namespace beside other owners", () => {
    const cluster = aCluster({ metadata: { name: "local", uid: "u-1" } });
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u-0" };
    const owned = newNamespace(cluster);
    const shared = { ...owned, metadata: { name: "local", ownerReferences: [other] } };

    expect(desiredOwners(owned, cluster)).to.equal(undefined);
    expect(desiredOwners(shared, cluster)?.map(({ uid }) => uid)).to.deep.equal(["u-0", "u-1"]);
  });
});
