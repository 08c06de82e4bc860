import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, Node, Pod, ServiceAccount } from "kopf-ts/kinds";
import { fakeClock } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { beforeAllServers } from "../../testing/hooks.ts";
import { sentOnRestart } from "../../testing/runs.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { podResources } from "./index.ts";

const [requestsKey, limitsKey] = [
  "management.cattle.io/pod-requests",
  "management.cattle.io/pod-limits",
];

describe("pod-resources on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;
  let namespace: string;

  beforeAllServers();
  afterEach(async () => {
    await concern.clear(Node);
    await concern.cluster.delete(refTo(Namespace, namespace));
    await concern[Symbol.asyncDispose]();
  });

  async function open(options: Parameters<typeof RunningDownstream.open>[0] = {}): Promise<void> {
    concern = await RunningDownstream.open(options);
    namespace = uniqueName("pods");
    await concern.cluster.create(refTo(Namespace, namespace) as Namespace);
    await concern.cluster
      .create(refTo(ServiceAccount, "default", namespace) as ServiceAccount)
      .catch(() => undefined); // the controller manager was faster
  }

  async function aNode(): Promise<Node> {
    const name = uniqueName("node");
    return concern.cluster.create(concern.mine(refTo(Node, name) as Node));
  }

  async function aPod(node: Node, cpu: string): Promise<Pod> {
    const containers = [
      { name: "c", image: "i", resources: { requests: { cpu }, limits: { cpu: "2" } } },
    ];
    const spec = { nodeName: node.metadata.name, containers };
    return concern.cluster.create({ ...refTo(Pod, uniqueName("pod"), namespace), spec } as Pod);
  }

  const told = async (node: Node) => {
    const { metadata } = await concern.cluster.get(Node, node.metadata.name);
    const parse = (key: string) => JSON.parse(metadata.annotations?.[key] ?? "null");
    return { requests: parse(requestsKey), limits: parse(limitsKey) };
  };
  const tells = (node: Node, cpu: string | undefined, pods: string) =>
    until(async () => {
      const { requests } = await told(node);
      return requests?.cpu === cpu && requests?.pods === pods;
    });

  it("tells the sums of each node, and follows its Pods", async () => {
    await open();
    await concern.run(podResources({ pause: 0 }));
    const [one, other] = [await aNode(), await aNode()];
    await tells(one, undefined, "0");

    const first = await aPod(one, "100m");
    await aPod(one, "200m");
    await aPod(other, "1");
    await tells(one, "300m", "2");
    await tells(other, "1", "1");
    await concern.cluster.patch(
      first,
      { merge: { status: { phase: "Succeeded" } } },
      { subresource: "status" },
    );
    await tells(one, "200m", "1");
    await concern.cluster.delete(refTo(Pod, first.metadata.name, namespace), {
      gracePeriodSeconds: 0,
    });

    expect((await told(one)).limits).to.deep.equal({ cpu: "2" });
    expect(writes(concern).every(({ where }) => where === "cluster")).to.equal(true);
  });

  it("puts back what somebody changed, and leaves other annotations alone", async () => {
    await open();
    await concern.run(podResources({ pause: 0 }));
    const node = await aNode();
    await tells(node, undefined, "0");

    const annotations = { mine: "1", [requestsKey]: "nonsense", [limitsKey]: null };
    await concern.cluster.patch(node, { merge: { metadata: { annotations } } });
    await until(async () => {
      const { metadata } = await concern.cluster.get(Node, node.metadata.name);
      return metadata.annotations?.[requestsKey] === '{"pods":"0"}';
    });

    const { metadata } = await concern.cluster.get(Node, node.metadata.name);
    expect(metadata.annotations).to.include({ mine: "1", [limitsKey]: "{}" });
  });

  it("writes to a node once in a while, however much happens", async () => {
    const clock = fakeClock(Date.now());
    await open({ clock });
    const node = await aNode();
    await concern.run(podResources());
    await tells(node, undefined, "0");
    for (let count = 0; count < 3; count++) await aPod(node, "1");
    await quiet(concern);
    const during = writes(concern).length;

    await clock.advance(15_000);
    await tells(node, "3", "3");
    await quiet(concern);

    expect(during).to.equal(1);
    expect(writes(concern)).to.have.length(2);
  });

  it("asks nothing when it starts again", async () => {
    await open();
    await concern.run(podResources({ pause: 0 }));
    const node = await aNode();
    await aPod(node, "1");
    await tells(node, "1", "1");
    await quiet(concern);

    const asked = await sentOnRestart(concern, podResources({ pause: 0 }));

    expect(asked).to.deep.equal([]);
  });
});
