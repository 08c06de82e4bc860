import { Node, Setting } from "@drover/crds";
import { aNode } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Node as CoreNode } from "kopf-ts/kinds";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { sentOnRestart } from "../../testing/runs.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { nodes } from "./index.ts";

describe("nodes on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  eachDownstream(
    (running) => {
      concern = running;
    },
    () => concern.clear(CoreNode),
  );

  /** A node of this test, in the cluster. */
  async function create(labels: Readonly<Record<string, string>> = {}): Promise<CoreNode> {
    const name = uniqueName("node");
    const node = { ...refTo(CoreNode, name), metadata: { name, labels } } as CoreNode;
    return concern.cluster.create(concern.mine(node));
  }

  const machines = async () => (await concern.hub.list(Node, { namespace: concern.name })).items;
  const machineOf = async ({ metadata: { name } }: CoreNode) =>
    (await machines()).find(({ status }) => status?.nodeName === name);

  it("makes a management Node for each node, which follows it", async () => {
    await concern.run(nodes({ env: {} }));
    const node = await create({ "node-role.kubernetes.io/control-plane": "true" });

    const made = await until(() => machineOf(node));
    await concern.cluster.patch(node, {
      merge: {
        metadata: {
          labels: { "node-role.kubernetes.io/control-plane": null, zone: "1" },
          annotations: { "management.cattle.io/pod-requests": '{"pods":"2"}' },
        },
        spec: { unschedulable: true },
      },
    });
    const followed = await until(async () => {
      const found = await machineOf(node);
      return found?.status?.requested?.pods === "2" ? found : undefined;
    });
    await concern.cluster.patch(
      node,
      { merge: { status: { capacity: { cpu: "4" } } } },
      { subresource: "status" },
    );
    await until(async () => {
      const { capacity } = ((await machineOf(node))?.status?.internalNodeStatus ?? {}) as {
        capacity?: { cpu?: string };
      };
      return capacity?.cpu === "4";
    });

    expect(made.spec).to.include({ controlPlane: true, worker: false });
    expect(followed.spec).to.include({ controlPlane: false, worker: true });
    expect(followed.status?.nodeLabels).to.include({ zone: "1" });
    expect(followed.metadata.uid).to.equal(made.metadata.uid);
    expect(writes(concern).every(({ where }) => where === "hub")).to.equal(true);
  });

  it("deletes it with its node, also with one that went while nobody looked", async () => {
    await concern.run(nodes({ env: {} }));
    const [watched, missed] = [await create(), await create()];
    await until(async () => (await machines()).length === 2);

    await concern.cluster.delete(refTo(CoreNode, watched.metadata.name));
    await until(async () => (await machines()).length === 1);
    await concern.stop();
    await concern.cluster.delete(refTo(CoreNode, missed.metadata.name));
    await concern.run(nodes({ env: {} }));

    await until(async () => (await machines()).length === 0);
  });

  it("puts back what people change or delete, and leaves what they made themselves", async () => {
    const own = aNode({ metadata: { namespace: concern.name }, status: { nodeName: "to-come" } });
    await concern.hub.create(own);
    await concern.run(nodes({ env: {} }));
    const node = await create();
    const made = await until(() => machineOf(node));

    await concern.hub.patch(made, {
      merge: {
        metadata: { labels: null, annotations: null },
        spec: { worker: false },
        status: { nodeLabels: null },
      },
    });
    await until(async () => {
      const found = await machineOf(node);
      const isMarked = found?.metadata.annotations?.["management.cattle.io/nodesyncer"] === "true";
      return isMarked && found?.spec?.worker && found.status?.nodeLabels !== undefined;
    });
    await concern.hub.delete(refTo(Node, made.metadata.name, concern.name));
    const again = await until(async () => {
      const found = await machineOf(node);
      return found?.metadata.uid === made.metadata.uid ? undefined : found;
    });

    expect(again.metadata.name).to.equal(made.metadata.name);
    expect((await machines()).map(({ status }) => status?.nodeName)).to.include("to-come");
  });

  it("takes over the one that a Rancher made, and deletes a second one", async () => {
    const node = await create();
    const { name } = node.metadata;
    const metadata = {
      namespace: concern.name,
      annotations: { "management.cattle.io/nodesyncer": "true" },
      labels: { "management.cattle.io/nodename": name },
    };
    const made = [
      await concern.hub.create(aNode({ metadata, status: { nodeName: name } })),
      await concern.hub.create(aNode({ metadata, status: {} })),
    ];

    await concern.run(nodes({ env: {} }));
    await until(async () => (await machines()).length === 1);

    await until(async () => (await machines()).at(0)?.status?.nodeName === name);
    const uids = made.map(({ metadata: { uid } }) => uid);
    expect(uids).to.include((await machines()).at(0)?.metadata.uid);
  });

  it("passes over nodes that setting ignore-node-name names", async () => {
    const [ignored, other] = [await create(), await create()];

    await concern.run(nodes({ env: { CATTLE_IGNORE_NODE_NAME: ignored.metadata.name } }));
    await until(() => machineOf(other));
    await quiet(concern);
    const during = (await machines()).length;
    await concern.run(nodes({ env: {} }));
    await until(async () => (await machines()).length === 2);
    await concern.run(nodes({ env: { CATTLE_IGNORE_NODE_NAME: ignored.metadata.name } }));
    await until(async () => (await machines()).length === 1);

    expect(during).to.equal(1);
    expect(await concern.hub.find(Setting, "ignore-node-name")).to.satisfy(
      (setting: Setting | undefined) => !setting?.value,
    );
  });

  it("does the same for the hub itself", async () => {
    await using own = await RunningDownstream.open({ clusterIsHub: true });
    await own.run(nodes({ env: {} }));
    const name = uniqueName("node");
    await own.hub.create(own.mine(refTo(CoreNode, name) as CoreNode));
    const find = async () => (await own.hub.list(Node, { namespace: own.name })).items;

    await until(async () => (await find()).at(0)?.status?.nodeName === name);
    await own.hub.delete(refTo(CoreNode, name));

    await until(async () => (await find()).length === 0);
  });

  it("asks nothing when it starts again", async () => {
    await concern.run(nodes({ env: {} }));
    const node = await create();
    await until(() => machineOf(node));
    await quiet(concern);

    const asked = await sentOnRestart(concern, nodes({ env: {} }));

    expect(asked).to.deep.equal([]);
  });
});
