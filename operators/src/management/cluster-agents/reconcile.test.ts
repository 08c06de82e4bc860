import { Cluster, ClusterRegistrationToken, ClusterRoleTemplateBinding, User } from "@drover/crds";
import { aCluster, aClusterRoleTemplateBinding, aNode } from "@drover/crds/testing";
import { userNameFor } from "@drover/platform";
import { expect } from "chai";
import { isAlreadyExists, type KubeObject, patchStatus, refTo } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as plane, RunningConcern } from "../../testing/concern.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterAgents } from "./index.ts";

const runs = 'controller_runtime_reconcile_total{controller="cluster-agents",result="success"}';

describe("cluster-agents on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;

  before(() => plane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(clusterAgents);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  /** Provisioned, with a node. */
  async function provisioned(overrides: Parameters<typeof aCluster>[0] = {}): Promise<Cluster> {
    const created = await concern.create(aCluster(overrides));
    const { name } = created.metadata;
    await concern.client.create(refTo(Namespace, name) as Namespace).catch(orThere);
    await concern.client.create(aNode({ metadata: { namespace: name, name: "machine-1" } }));
    const conditions = [{ type: "Provisioned", status: "True" as const }];
    return patchStatus(concern.client, created, { conditions });
  }

  const conditionsOf = async (cluster: Cluster) => {
    const found = await concern.find(Cluster, cluster);
    return Object.fromEntries(found?.status?.conditions?.map((each) => [each.type, each]) ?? []);
  };
  const settled = (cluster: Cluster) =>
    until(async () => (await conditionsOf(cluster)).SystemAccountCreated?.status === "True");
  const bindingsIn = async ({ metadata: { name: namespace } }: Cluster) =>
    (await concern.client.list(ClusterRoleTemplateBinding, { namespace })).items;
  const tokenOf = ({ metadata: { name: namespace } }: KubeObject) =>
    concern.client.find(ClusterRegistrationToken, "system", { namespace });

  it("makes the system account, its binding and the agent's token", async () => {
    const cluster = await provisioned();
    await settled(cluster);
    await until(() => tokenOf(cluster));

    const [binding] = await bindingsIn(cluster);
    const user = await concern.client.get(User, binding?.userName ?? "");
    const { name } = cluster.metadata;
    expect(user.principalIds).to.deep.equal([`system://${name}`]);
    expect(user.displayName).to.equal(`System account for Cluster ${name}`);
    expect(binding?.metadata.name).to.equal(`${user.metadata.name}-admin`);
    expect(binding?.roleTemplateName).to.equal("cluster-owner");
    expect(binding?.metadata.ownerReferences?.[0]?.uid).to.equal(cluster.metadata.uid);
    expect((await conditionsOf(cluster)).AgentDeployed).to.equal(undefined);
  });

  it("waits until the cluster is provisioned and has a node", async () => {
    const cluster = await concern.create(aCluster());
    const { name: namespace } = cluster.metadata;
    await concern.client.create(refTo(Namespace, namespace) as Namespace);
    const conditions = [{ type: "Provisioned", status: "True" as const }];
    await patchStatus(concern.client, cluster, { conditions });
    await quiet(concern);
    const early = writes(concern);
    await concern.client.create(aNode({ metadata: { namespace, name: "machine-1" } }));

    await settled(cluster);

    expect(early).to.deep.equal([]);
  });

  it("stops after the account for the server's own cluster", async () => {
    const cluster = await provisioned({ spec: { internal: true } });
    await settled(cluster);
    await quiet(concern);

    expect(await tokenOf(cluster)).to.equal(undefined);
    expect((await conditionsOf(cluster)).AgentDeployed).to.equal(undefined);
  });

  it("says of a cluster that a kubeconfig leads to that it runs no agent", async () => {
    const annotations = { "drover.dev/kubeconfig-secret": "x" };
    const cluster = await provisioned({ metadata: { annotations } });
    await settled(cluster);
    await quiet(concern);

    expect((await conditionsOf(cluster)).AgentDeployed).to.include({
      status: "True",
      reason: "ReachedDirectly",
    });
    expect(await tokenOf(cluster)).to.equal(undefined);
  });

  it("puts back what people delete or change, and leaves others' bindings alone", async () => {
    const cluster = await provisioned();
    const { name } = cluster.metadata;
    await settled(cluster);
    await until(() => tokenOf(cluster));
    const [made] = await bindingsIn(cluster);
    const { name: bindingName } = made?.metadata ?? { name: "" };
    const metadata = { name: "foreign", namespace: name };
    await concern.client.create(
      aClusterRoleTemplateBinding({ metadata, clusterName: name, userName: "u-eve" }),
    );
    const find = () =>
      concern.client.find(ClusterRoleTemplateBinding, bindingName, { namespace: name });
    const isWhole = async () => (await find())?.roleTemplateName === "cluster-owner";

    await concern.client.delete(refTo(ClusterRoleTemplateBinding, bindingName, name));
    await until(isWhole);
    await concern.client.patch(refTo(ClusterRoleTemplateBinding, bindingName, name), {
      merge: { roleTemplateName: "read-only" },
    });
    await until(isWhole);
    await concern.client.patch(refTo(ClusterRoleTemplateBinding, bindingName, name), {
      merge: { metadata: { labels: null, annotations: null } },
    });
    await until(async () => (await find())?.metadata.labels !== undefined);
    await concern.client.delete(refTo(ClusterRegistrationToken, "system", name));
    await until(() => tokenOf(cluster));
    await concern.client.delete(refTo(User, made?.userName ?? ""));
    await until(() => concern.client.find(User, made?.userName ?? ""));

    const left = (await bindingsIn(cluster)).map((each) => each.metadata.name);
    expect(left).to.have.members([bindingName, "foreign"]);
  });

  it("tells when somebody else's binding has the name, and takes it once it is free", async () => {
    const created = aCluster();
    const { name } = created.metadata;
    const user = userNameFor(`system://${name}`);
    await concern.client.create(refTo(Namespace, name) as Namespace);
    const metadata = { name: `${user}-admin`, namespace: name };
    await concern.client.create(
      aClusterRoleTemplateBinding({ metadata, clusterName: name, userName: "u-eve" }),
    );
    const cluster = await provisioned(created);
    const told = await until(async () => {
      const { SystemAccountCreated: condition } = await conditionsOf(cluster);
      return condition?.status === "False" ? condition : undefined;
    });
    await concern.client.delete(refTo(ClusterRoleTemplateBinding, metadata.name, name));
    await concern.client.patch(cluster, {
      merge: { metadata: { annotations: { look: "again" } } },
    });
    await settled(cluster);

    expect(told).to.include({ reason: "BindingFailed" });
    expect(told.message).to.contain(
      `ClusterRoleTemplateBinding ${name}/${user}-admin was made by somebody else: rename or delete it`,
    );
  });

  it("writes nothing when it starts again", async () => {
    const cluster = await provisioned();
    await settled(cluster);
    await until(() => tokenOf(cluster));
    await quiet(concern);

    await using again = await RunningConcern.open();
    const relabelled = { metadata: { labels: { test: again.label } } };
    await concern.client.patch(cluster, { merge: relabelled });
    await again.run(clusterAgents);
    await until(async () => (await again.metric(runs)) >= 1);
    await quiet(again);

    expect(writes(again)).to.deep.equal([]);
  });
});

/** The suite shares a slow machine. */
function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 15_000 });
}

function orThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
