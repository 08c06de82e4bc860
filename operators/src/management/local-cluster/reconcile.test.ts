import { Cluster, installCrds, kinds } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import {
  type Client,
  connect,
  findCondition,
  intercept,
  loadConfig,
  silentLogger,
  systemClock,
  type TaskContext,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningConcern } from "../../testing/concern.ts";
import { localCluster } from "./index.ts";
import { ensureLocalCluster, removeLocalCluster } from "./reconcile.ts";

const within = 30_000; // the controller manager ends deletions

describe("local-cluster on an API server", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let client: Client;
  let sent: string[] = [];
  const local = (): Promise<Cluster | undefined> => client.find(Cluster, "local");
  const namespace = (): Promise<Namespace | undefined> => client.find(Namespace, "local");
  const task = (): TaskContext => {
    const { signal } = new AbortController();
    return { client, clock: systemClock, log: silentLogger, signal };
  };
  const writes = (): readonly string[] =>
    sent.filter((verb) => !["get", "list", "watch"].includes(verb));
  const isActive = async (): Promise<Namespace | false> => {
    const live = await namespace();
    const uid = (await local())?.metadata.uid;
    const owned = live?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
    return owned && live?.metadata.deletionTimestamp === undefined && live;
  };

  before(async () => {
    plane = await startControlPlane();
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    client = connect(config, { kinds, metrics: { observe: (verb) => void sent.push(verb) } });
    await installCrds(client, {
      only: [Cluster],
      log: silentLogger,
      signal: AbortSignal.timeout(20_000),
    });
  });
  beforeEach(() => {
    sent = [];
  });
  after(async () => {
    await client?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  it("makes cluster and namespace at the first start", async () => {
    await ensureLocalCluster(task());

    const cluster = await local();
    expect(cluster?.spec).to.include({ internal: true, displayName: "local" });
    expect(cluster?.status?.driver).to.equal("imported");
    for (const type of ["Ready", "Connected"]) {
      expect(findCondition(cluster?.status?.conditions, type)?.status).to.equal("True");
    }
    expect((await namespace())?.metadata.ownerReferences?.map(({ uid }) => uid)).to.deep.equal([
      cluster?.metadata.uid,
    ]);
  });

  it("sends no write at the second", async () => {
    await ensureLocalCluster(task());

    expect(writes()).to.deep.equal([]);
  });

  it("completes the cluster of an older server, and keeps what people chose", async () => {
    const cluster = await client.get(Cluster, "local");
    const spec = { internal: null, fleetWorkspaceName: null, displayName: "home" };
    await client.patch(cluster, { merge: { spec } });
    await client.patch(cluster, { merge: { status: null } }, { subresource: "status" });

    await ensureLocalCluster(task());

    const after = await local();
    expect(after?.spec).to.include({
      internal: true,
      displayName: "home",
      fleetWorkspaceName: "fleet-local",
    });
    expect(findCondition(after?.status?.conditions, "Ready")?.status).to.equal("True");
  });

  for (const times of [2, 6]) {
    it(`looks again when somebody else writes between its look and its write, ${times} times`, async () => {
      const cluster = await client.get(Cluster, "local");
      await client.patch(cluster, { merge: { status: null } }, { subresource: "status" });
      let meddled = 0;
      const meddling = intercept(client, {
        beforeWrite: async () => {
          if (meddled++ >= times) return;
          const annotations = { meddled: String(meddled) };
          await client.patch(cluster, { merge: { metadata: { annotations } } });
        },
      });

      await ensureLocalCluster({ ...task(), client: meddling });

      expect((await local())?.status?.driver).to.equal("imported");
      expect(meddled).to.equal(times + 1);
    });
  }

  describe("as a concern", () => {
    let concern: RunningConcern;

    beforeEach(async () => {
      concern = await RunningConcern.open({ controlPlane: plane });
      const labels = { test: concern.label }; // the concern of a test sees only its own
      const [cluster, space] = [await local(), await namespace()];
      const merge = { metadata: { labels } };
      if (cluster !== undefined) await client.patch(cluster, { merge });
      if (space !== undefined) await client.patch(space, { merge });
      await concern.run(localCluster({ embedded: true }));
    });
    afterEach(() => concern[Symbol.asyncDispose]());

    it("makes a deleted cluster again, and its namespace once that is gone", async () => {
      const former = (await local())?.metadata.uid;

      await client.delete(await client.get(Cluster, "local"), { preconditions: "uid" });

      const again = await eventually(async () => {
        const live = await local();
        return live?.metadata.uid !== former && live;
      });
      await client.patch(again, { merge: { metadata: { labels: { test: concern.label } } } });
      await eventually(isActive, { within });
      const made = await eventually(async () => {
        const live = await local();
        return live?.status?.driver !== undefined && live;
      });
      expect(made.status?.driver).to.equal("local");
    });

    it("makes a deleted namespace again", async () => {
      const former = await client.get(Namespace, "local");
      const labels = { test: concern.label };
      await client.patch(former, { merge: { metadata: { labels } } });

      await client.delete(former, { preconditions: "uid" });

      await eventually(
        async () =>
          (await isActive()) !== false && (await namespace())?.metadata.uid !== former.metadata.uid,
        { within },
      );
    });

    it("says connected again when somebody says otherwise, and looks at no other cluster", async () => {
      const other = await concern.create(aCluster({ spec: { displayName: "other" } }));
      const cluster = await client.get(Cluster, "local");
      const conditions = [{ type: "Connected", status: "False" }];

      await client.patch(cluster, { merge: { status: { conditions } } }, { subresource: "status" });

      await eventually(
        async () =>
          findCondition((await local())?.status?.conditions, "Connected")?.status === "True",
      );
      await client.delete(other, { preconditions: "none" });
      expect((await client.find(Cluster, other.metadata.name))?.spec).to.equal(undefined);
    });
  });

  describe("where it shall not be managed", () => {
    it("deletes the cluster, once; its namespace is the garbage collector's", async () => {
      await removeLocalCluster(task());
      await removeLocalCluster(task());

      expect(await local()).to.equal(undefined);
      expect(writes().filter((verb) => verb === "delete")).to.have.length(1);
    });
  });
});
