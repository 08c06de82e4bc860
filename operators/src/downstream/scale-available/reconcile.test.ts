import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Deployment, Namespace, Node } from "kopf-ts/kinds";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { sentOnRestart } from "../../testing/runs.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { scaleAvailable } from "./index.ts";

const namespace = "cattle-system";

describe("scale-available on an API server", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  eachDownstream(
    async (running) => {
      concern = running;
      await concern.cluster.create(refTo(Namespace, namespace) as Namespace).catch(() => undefined);
    },
    async () => {
      await concern.clear(Node);
      await concern.clear(Deployment, namespace);
    },
  );

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
    const before = writes(concern).length;

    await sentOnRestart(concern, scaleAvailable);

    expect(writes(concern)).to.have.length(before);
  });
});
