import { Node } from "@drover/crds";
import { aNode } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Node as CoreNode } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { beforeAllServers } from "../../testing/hooks.ts";
import { nodes } from "./index.ts";

const patient = { within: 20_000 };

describe("management Nodes whose status somebody writes", function () {
  this.timeout(60_000);

  beforeAllServers();

  it("stand for their nodes again, also where one named another node or none", async () => {
    await using concern = await RunningDownstream.open();
    await concern.run(nodes({ env: {} }));
    const long = `${uniqueName("node")}.${"a".repeat(60)}.example.com`;
    const names = [uniqueName("node"), uniqueName("node"), long];
    for (const name of names) {
      await concern.cluster.create(
        concern.mine({ ...refTo(CoreNode, name), metadata: { name } } as CoreNode),
      );
    }
    const machines = async () => (await concern.hub.list(Node, { namespace: concern.name })).items;
    const isSettled = async () => {
      const found = (await machines()).map(({ status }) => status?.nodeName);
      return found.length === names.length && names.every((name) => found.includes(name));
    };
    await eventually(isSettled, patient);
    const [oldest = "", younger = ""] = names;
    const write = async (name: string, nodeName: string | null) => {
      const all = await machines();
      const found = all.find(({ status }) => status?.nodeName === name);
      await concern.hub.patch(refTo(Node, found?.metadata.name ?? "", concern.name), {
        merge: { status: { nodeName } },
      });
    };

    await write(oldest, younger);
    await eventually(isSettled, patient);
    await write(long, null);

    await eventually(isSettled, patient);
    for (const name of names) await concern.cluster.delete(refTo(CoreNode, name));
    await eventually(async () => (await machines()).length === 0, patient);
  });

  it("go with their nodes though a Rancher held them, and keep finalizers of others", async () => {
    await using concern = await RunningDownstream.open();
    const names = [uniqueName("node"), uniqueName("node")];
    const rancher = [
      "controller.cattle.io/node-controller",
      `clusterscoped.controller.cattle.io/user-node-remove_${concern.name}`,
    ];
    for (const [at, name] of names.entries()) {
      await concern.cluster.create(
        concern.mine({ ...refTo(CoreNode, name), metadata: { name } } as CoreNode),
      );
      const annotations = { "management.cattle.io/nodesyncer": "true" };
      const finalizers = at === 0 ? rancher : [...rancher, "example.com/theirs"];
      const metadata = { namespace: concern.name, annotations, finalizers };
      await concern.hub.create(aNode({ metadata, status: { nodeName: name } }));
    }
    const machines = async () => (await concern.hub.list(Node, { namespace: concern.name })).items;
    const finalizersOf = async () =>
      (await machines()).flatMap(({ metadata }) => metadata.finalizers ?? []);

    await concern.run(nodes({ env: {} }));
    await eventually(async () => (await finalizersOf()).length === 1, patient);
    expect(await finalizersOf()).to.deep.equal(["example.com/theirs"]);
    for (const name of names) await concern.cluster.delete(refTo(CoreNode, name));
    const [left] = await eventually(async () => {
      const found = await machines();
      const isGoing = found[0]?.metadata.deletionTimestamp !== undefined;
      return found.length === 1 && isGoing && found;
    }, patient);

    expect(left?.status?.nodeName).to.equal(names[1]);
    const ref = refTo(Node, left?.metadata.name ?? "", concern.name);
    await concern.hub.patch(ref, { merge: { metadata: { finalizers: null } } });
  });
});
