import { secondTestEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Deployment, Namespace, Node } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as hubPlane } from "../../testing/concern.ts";
import { RunningDownstream } from "../../testing/downstream.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { scaleAvailable } from "./index.ts";

const namespace = "cattle-system";
const runs = 'controller_runtime_reconcile_total{controller="scale-available",result="success"}';

describe("scale-available on an API server", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  before(async function () {
    this.timeout(180_000);
    await Promise.all([hubPlane(), secondTestEnv()]);
  });
  beforeEach(async () => {
    concern = await RunningDownstream.open();
    await concern.cluster.create(refTo(Namespace, namespace) as Namespace).catch(() => undefined);
  });
  afterEach(async () => {
    const labelSelector = `test=${concern.label}`;
    const nodes = await concern.cluster.list(Node, { labelSelector });
    for (const { metadata } of nodes.items) {
      await concern.cluster.delete(refTo(Node, metadata.name));
    }
    const deployments = await concern.cluster.list(Deployment, { labelSelector, namespace });
    for (const { metadata } of deployments.items) {
      await concern.cluster.delete(refTo(Deployment, metadata.name, namespace));
    }
    await concern[Symbol.asyncDispose]();
  });

  const aNode = () => concern.cluster.create(concern.mine(refTo(Node, uniqueName("node")) as Node));

  /** Its Pods go to the nodes of this test alone; others share the cluster. */
  async function aDeployment(wanted: string | undefined): Promise<Deployment> {
    const name = uniqueName("scaled");
    const labels = { app: name };
    const annotations = wanted && { "management.cattle.io/scale-available": wanted };
    const spec = {
      containers: [{ name: "c", image: "i" }],
      nodeSelector: { test: concern.label },
    };
    return concern.cluster.create(
      concern.mine({
        ...refTo(Deployment, name, namespace),
        metadata: { name, namespace, ...(annotations && { annotations }) },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec },
        },
      } as Deployment),
    );
  }

  const replicasOf = async ({ metadata: { name } }: Deployment) =>
    (await concern.cluster.get(Deployment, name, { namespace })).spec?.replicas;
  const has = (deployment: Deployment, replicas: number) =>
    until(async () => (await replicasOf(deployment)) === replicas);

  it("follows the nodes that there are, and puts back what people change", async () => {
    await concern.run(scaleAvailable);
    const [asked, other] = [await aDeployment("2"), await aDeployment(undefined)];
    const [first] = [await aNode(), await aNode(), await aNode()];

    await has(asked, 2);
    await concern.cluster.patch(asked, { merge: { spec: { replicas: 5 } } });
    await has(asked, 2);
    const annotations = { "management.cattle.io/scale-available": "3" };
    await concern.cluster.patch(asked, { merge: { metadata: { annotations } } });
    await has(asked, 3);
    await concern.cluster.delete(refTo(Node, first?.metadata.name ?? ""));
    await has(asked, 2);

    expect(await replicasOf(other)).to.equal(1);
  });

  it("asks nothing when it starts again", async () => {
    await concern.run(scaleAvailable);
    await aNode();
    await aNode();
    const deployment = await aDeployment("2");
    await has(deployment, 2);
    await quiet(concern);
    const [before, ran] = [writes(concern).length, await concern.metric(runs)];

    await concern.run(scaleAvailable);
    await until(async () => (await concern.metric(runs)) > ran);
    await quiet(concern);

    expect(writes(concern)).to.have.length(before);
  });
});

/** The suite shares a slow machine. */
function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 15_000 });
}
