import { Cluster, type Node } from "@drover/crds";
import { aCluster, aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { findCondition, refTo } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as plane, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterStats } from "./index.ts";

const within = 15_000;
const runs = 'controller_runtime_reconcile_total{controller="cluster-stats",result="success"}';

describe("cluster-stats on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;
  let cluster: Cluster;
  let namespace: string;

  before(() => plane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    cluster = await concern.create(aCluster());
    namespace = cluster.metadata.name;
    await concern.client.create(refTo(Namespace, namespace));
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const make = (fields: Partial<Node> = {}) =>
    concern.client.create(aNode({ ...fields, metadata: { namespace } }));
  const become = (is: (found: Cluster) => boolean): Promise<Cluster> =>
    eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        return found !== undefined && is(found) && found;
      },
      { within },
    );
  const count = (wanted: number) => become(({ status }) => status?.nodeCount === wanted);

  it("case 9: nodeCount follows Nodes that are made and deleted by hand", async () => {
    await concern.run(clusterStats({ pause: 100 }));

    await count(0);
    const first = await make();
    await count(1);
    await make();
    await count(2);
    await concern.client.delete(first);
    await count(1);
  });

  it("sums up what nodes have, and tells of pressure in a condition and an Event", async () => {
    await concern.run(clusterStats({ pause: 100 }));
    const capacity = { cpu: "2", memory: "1Gi", pods: "110" };
    const pressed = [{ type: "DiskPressure", status: "True" }];
    await make({ status: { nodeName: "a", internalNodeStatus: { capacity } } });

    await make({
      status: { nodeName: "b", internalNodeStatus: { capacity, conditions: pressed } },
    });
    const summed = await become(({ status }) => status?.capacity?.cpu === "4");
    const events = await eventually(
      async () => {
        await concern.flush();
        const found = await eventsAbout(concern.client, namespace);
        return found.length > 0 && found;
      },
      { within },
    );

    expect(summed.status?.capacity).to.deep.equal({ cpu: "4", memory: "2Gi", pods: "220" });
    const disk = findCondition(summed.status?.conditions, "NoDiskPressure");
    expect(disk).to.include({ status: "False", message: "short of disk: b" });
    expect(findCondition(summed.status?.conditions, "NoMemoryPressure")?.status).to.equal("True");
    expect(events).to.deep.equal(["DiskPressure: short of disk: b"]);
  });

  it("writes once for many changes at once", async () => {
    await concern.run(clusterStats({ pause: 1_000 }));
    await count(0);
    await quiet(concern);
    const before = writes(concern).length;

    await Promise.all(Array.from({ length: 10 }, () => make()));
    await count(10);
    await quiet(concern);

    expect(writes(concern).length - before).to.be.within(1, 2);
  });

  it("puts back what somebody changes, keeps what others say, and writes nothing when steady", async () => {
    const foreign = { type: "Connected", status: "True" } as const;
    const status = { conditions: [foreign], driver: "imported" };
    await concern.client.patch(cluster, { merge: { status } }, { subresource: "status" });
    await concern.run(clusterStats({ pause: 100 }));
    await make();
    await count(1);
    await concern.client.patch(
      cluster,
      { merge: { status: { nodeCount: 7, capacity: null } } },
      { subresource: "status" },
    );
    const repaired = await count(1);
    await quiet(concern);

    await using again = await RunningConcern.open();
    await again.client.patch(cluster, { merge: { metadata: { labels: { test: again.label } } } });
    await again.run(clusterStats());
    await eventually(async () => (await again.metric(runs)) >= 1, { within });
    await quiet(again);

    expect(repaired.status?.driver).to.equal("imported");
    expect(repaired.status?.capacity).to.have.keys("cpu", "memory", "pods");
    expect(repaired.status?.conditions?.[0]).to.deep.equal(foreign);
    expect(writes(again)).to.deep.equal([]);
  });
});
