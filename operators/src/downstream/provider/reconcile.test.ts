import { Cluster, Node } from "@drover/crds";
import { aCluster, aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { patchStatus, refTo } from "kopf-ts";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { hasRun, sentOnRestart } from "../../testing/runs.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { provider } from "./index.ts";

describe("provider on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  eachDownstream((running) => {
    concern = running;
  });

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
    await hasRun(concern, provider.name);
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
    await hasRun(concern, provider.name);
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

    const asked = await sentOnRestart(concern, provider);

    expect(asked).to.deep.equal([]);
  });
});
