import { Cluster } from "@drover/crds";
import { aCluster, aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { findCondition, refTo } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as plane, RunningConcern } from "../../testing/concern.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterProvisioner } from "./index.ts";

const within = 10_000;

describe("cluster-provisioner on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;

  before(() => plane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(clusterProvisioner);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const become = (cluster: Cluster, type: string, status: string): Promise<Cluster> =>
    eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        return findCondition(found?.status?.conditions, type)?.status === status && found;
      },
      { within },
    );
  const say = (cluster: Cluster, status: object) =>
    concern.client.patch<Cluster>(cluster, { merge: { status } }, { subresource: "status" });

  it("provisions a cluster, without further input, once it is imported", async () => {
    const cluster = await concern.create(aCluster());
    const waiting = await become(cluster, "Pending", "Unknown");

    await say(cluster, { driver: "imported", apiEndpoint: "https://10.0.0.1" });
    const done = await become(cluster, "Provisioned", "True");

    const conditions = done.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
    expect(findCondition(waiting.status?.conditions, "Provisioned")?.status).to.equal("Unknown");
    expect(conditions).to.deep.equal([
      "Waiting=Unknown",
      "Pending=True",
      "Provisioned=True",
      "Updated=True",
    ]);
    expect(done.status?.apiEndpoint).to.equal("https://10.0.0.1");
  });

  it("tells why a kubeconfig is not followed, and follows what is said of it", async () => {
    const annotations = { "drover.dev/kubeconfig-secret": "prod" };
    const cluster = await concern.create(aCluster({ metadata: { annotations } }));
    const { status } = await become(cluster, "Provisioned", "Unknown");
    const accepted = { type: "KubeconfigAccepted", status: "False", message: "nobody answers" };

    await say(cluster, { conditions: [...(status?.conditions ?? []), accepted] });

    await eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        const told = findCondition(found?.status?.conditions, "Provisioned");
        return told?.message?.endsWith("Secret cattle-global-data/prod: nobody answers");
      },
      { within },
    );
  });

  it("finds out of which distribution the cluster is when version and nodes are known", async () => {
    const cluster = await concern.create(aCluster());
    const { name } = cluster.metadata;
    await concern.client.create(refTo(Namespace, name));
    await become(cluster, "Pending", "Unknown");

    await say(cluster, { driver: "imported", version: { gitVersion: "v1.33.1+k3s1" } });
    const early = await become(cluster, "Provisioned", "True");
    await concern.client.create(aNode({ metadata: { namespace: name } }));

    await eventually(async () => (await concern.find(Cluster, cluster))?.status?.driver === "k3s", {
      within,
    });
    expect(early.status?.driver).to.equal("imported");
  });

  it("leaves administrated clusters alone", async () => {
    const annotations = { "provisioning.cattle.io/administrated": "true" };
    const cluster = await concern.create(aCluster({ metadata: { annotations } }));
    const other = await concern.create(aCluster());

    await become(other, "Pending", "Unknown");
    await quiet(concern);

    expect((await concern.find(Cluster, cluster))?.status).to.equal(undefined);
  });

  it("puts back conditions that somebody takes away, and writes nothing for a steady cluster", async () => {
    const cluster = await concern.create(aCluster());
    await become(cluster, "Pending", "Unknown");
    await say(cluster, { driver: "imported" });
    await become(cluster, "Provisioned", "True");
    await say(cluster, { conditions: [{ type: "Connected", status: "True" }] });
    const repaired = await become(cluster, "Provisioned", "True");
    await quiet(concern);

    await using again = await RunningConcern.open();
    await again.client.patch(cluster, { merge: { metadata: { labels: { test: again.label } } } });
    await again.run(clusterProvisioner);
    const runs =
      'controller_runtime_reconcile_total{controller="cluster-provisioner",result="success"}';
    await eventually(async () => (await again.metric(runs)) >= 1, { within });
    await quiet(again);

    expect(repaired.status?.conditions?.[0]?.type).to.equal("Connected");
    expect(writes(again)).to.deep.equal([]);
  });
});
