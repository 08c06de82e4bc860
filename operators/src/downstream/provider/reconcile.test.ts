import { Cluster, Node } from "@drover/crds";
import { aCluster, aNode } from "@drover/crds/testing";
import { secondTestEnv } from "@drover/env";
import { expect } from "chai";
import { patchStatus, refTo } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { cluster as hubPlane } from "../../testing/concern.ts";
import { RunningDownstream } from "../../testing/downstream.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { provider } from "./index.ts";

const runs = 'controller_runtime_reconcile_total{controller="provider",result="success"}';

describe("provider on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  before(async function () {
    this.timeout(180_000);
    await Promise.all([hubPlane(), secondTestEnv()]);
  });
  beforeEach(async () => {
    concern = await RunningDownstream.open();
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const stored = () => concern.hub.get(Cluster, concern.name);
  const tells = (name: string) =>
    until(async () => {
      const { metadata, status } = await stored();
      return metadata.labels?.["provider.cattle.io"] === name && status?.provider === name;
    });

  async function create(status: NonNullable<Cluster["status"]>): Promise<Cluster> {
    const created = await concern.hub.create(aCluster({ metadata: { name: concern.name } }));
    return patchStatus(concern.hub, created, status);
  }
  const ready = [{ type: "Ready", status: "True" as const }];

  it("tells it once the cluster is Ready, and puts it back", async () => {
    const cluster = await create({ version: { gitVersion: "v1.35.0+k3s1" } });
    await concern.run(provider);
    await until(async () => (await concern.metric(runs)) >= 1);
    const early = writes(concern);

    await patchStatus(concern.hub, cluster, { ...cluster.status, conditions: ready });
    await tells("k3s");
    await concern.hub.patch(cluster, {
      merge: { metadata: { labels: { "provider.cattle.io": "mine" } } },
    });
    await tells("k3s");

    expect(early).to.deep.equal([]);
    expect((await stored()).status?.conditions).to.deep.equal(ready);
  });

  it("follows the nodes, and keeps what was said when no rule fits", async () => {
    await create({ conditions: ready, provider: "other", version: { gitVersion: "v1.35.0" } });
    await concern.run(provider);
    await until(async () => (await concern.metric(runs)) >= 1);
    await quiet(concern);
    const before = (await stored()).status?.provider;

    const status = { nodeName: "n", nodeLabels: { "minikube.k8s.io/name": "m" } };
    const metadata = { namespace: concern.name, name: "machine-1" };
    await concern.hub.create(aNode({ metadata, status }));
    await tells("minikube");
    await concern.hub.delete(refTo(Node, metadata.name, metadata.namespace));
    await quiet(concern);

    expect(before).to.equal("other");
    expect((await stored()).status?.provider).to.equal("minikube");
  });

  it("asks nothing when it starts again", async () => {
    await create({ conditions: ready, version: { gitVersion: "v1.35.0+k3s1" } });
    await concern.run(provider);
    await tells("k3s");
    await concern.stop();
    const [before, ran] = [concern.sent.length, await concern.metric(runs)];

    await concern.run(provider);
    await until(async () => (await concern.metric(runs)) > ran);
    await quiet(concern);

    const asked = concern.sent.slice(before).filter(({ verb }) => !/list|watch/.test(verb));
    expect(asked).to.deep.equal([]);
  });
});

/** The suite shares a slow machine. */
function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 15_000 });
}
