import { Cluster } from "@drover/crds";
import { aCluster, aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { type Client, connect, intercept } from "kopf-ts";
import { eventually, startScriptedServer } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { flood } from "../../testing/flood.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterVersion } from "./index.ts";

const within = 15_000;
const runs = 'controller_runtime_reconcile_total{controller="cluster-version"';

describe("cluster-version between two API servers", function () {
  this.timeout(120_000);

  let concern: RunningDownstream;

  beforeEach(async () => {
    concern = await RunningDownstream.open();
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const make = async (status: Cluster["status"] = {}): Promise<Cluster> => {
    const cluster = await concern.hub.create(aCluster({ metadata: { name: concern.name } }));
    return concern.hub.patch(cluster, { merge: { status } }, { subresource: "status" });
  };
  const live = () => concern.hub.get(Cluster, concern.name);
  const said = async () => {
    const { body } = await concern.cluster.request({ method: "GET", path: "/version" });
    return JSON.parse(body.toString()) as { readonly gitVersion: string };
  };
  const known = () =>
    eventually(
      async () => (await live()).status?.version?.gitVersion === (await said()).gitVersion,
      {
        within,
      },
    );

  it("writes what the cluster answers, and keeps what others say", async () => {
    const conditions = [{ type: "Connected", status: "True" }] as const;
    await make({ driver: "imported", conditions });

    await concern.run(clusterVersion);
    await known();

    const { status } = await live();
    expect(status?.version).to.deep.equal({
      ...status?.version,
      gitVersion: (await said()).gitVersion,
      buildDate: "",
      platform: "",
    });
    expect(status?.driver).to.equal("imported");
    expect(status?.conditions).to.deep.equal(conditions);
  });

  it("puts it back, and looks again when a node was upgraded; a second start writes nothing", async () => {
    await make();
    await concern.run(clusterVersion);
    await known();

    const cluster = await live();
    const wrong = { status: { version: { gitVersion: "v0.1.0" } } };
    await concern.hub.patch(cluster, { merge: wrong }, { subresource: "status" });
    await known();
    await quiet(concern);
    const before = concern.sent.length;
    const internalNodeStatus = { nodeInfo: { kubeletVersion: "v1.99.0" } };
    await concern.hub.create(
      aNode({ metadata: { namespace: concern.name }, status: { internalNodeStatus } }),
    );
    await eventually(() => concern.sent.slice(before).some(({ where }) => where === "cluster"), {
      within,
    });
    await quiet(concern);
    const written = writes(concern).length;
    await concern.run(clusterVersion);
    await eventually(async () => (await concern.metrics.text()).includes(runs), { within });
    await quiet(concern);

    expect(writes(concern).length).to.equal(written);
  });

  it("keeps the version of a cluster that does not answer, without an error", async () => {
    await concern[Symbol.asyncDispose]();
    let asked = 0;
    const away = (client: Client): Client => ({
      ...intercept(client, {}),
      request: () => {
        asked += 1;
        return Promise.reject(new Error("nobody is there"));
      },
    });
    const through = (client: Client, side: string) => (side === "hub" ? client : away(client));
    concern = await RunningDownstream.open({ through });
    await make({ version: { gitVersion: "v1.30.0" } });

    await concern.run(clusterVersion);
    await eventually(() => asked > 0, { within });
    await quiet(concern);

    expect((await live()).status?.version).to.deep.equal({ gitVersion: "v1.30.0" });
    expect(concern.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });

  it("reads little of an answer that never ends, and keeps the version", async () => {
    await concern[Symbol.asyncDispose]();
    const written = { bytes: 0 };
    await using server = await startScriptedServer((response) => flood(response, written));
    await using endless = connect(server.config);
    const through = (client: Client, side: string): Client =>
      side === "hub"
        ? client
        : { ...intercept(client, {}), request: (request) => endless.request(request) };
    concern = await RunningDownstream.open({ through });
    await make({ version: { gitVersion: "v1.30.0" } });

    await concern.run(clusterVersion);
    await eventually(
      () => concern.lines.some((line) => line.includes("answered more than 64 KiB")),
      { within: 30_000 },
    );

    await quiet(concern);
    expect((await live()).status?.version).to.deep.equal({ gitVersion: "v1.30.0" });
    expect(written.bytes).to.be.below(64 << 20); // what buffers on the way hold
  });
});
