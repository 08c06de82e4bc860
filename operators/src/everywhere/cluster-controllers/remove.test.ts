import { annotations, Cluster, labels } from "@drover/crds";
import { type ControlPlane, startControlPlane, uniqueName } from "@drover/env";
import { expect } from "chai";
import {
  apiVersionOf,
  applySet,
  type Client,
  connect,
  type Kind,
  type KubeObject,
  loadConfig,
} from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  LimitRange,
  Namespace,
  NetworkPolicy,
  Role,
  RoleBinding,
  Service,
} from "kopf-ts/kinds";
import { eventually, startFaultProxy } from "kopf-ts/testing";
import { eventsAbout } from "../../testing/events.ts";
import { finalizer } from "./names.ts";
import { type Access, accessTo, ensure, reached } from "./testing/access.ts";
import { Replica } from "./testing/fleet.ts";

const slow = { within: 30_000 };
const rbac = ClusterRole.group;

describe("the removal of a cluster", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let access: Access;
  let downstream: Client;
  before(async () => {
    plane = await startControlPlane();
    access = await accessTo(plane, "cattle-test");
    downstream = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  });
  after(async () => {
    await downstream?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  /** A cluster that was reached, so that it is held until it is cleaned up. */
  async function held(replica: Replica, by: Access = access): Promise<Cluster> {
    const { client } = replica.concern;
    const cluster = await reached(client, by, (object) => replica.concern.create(object));
    return eventually(async () => {
      const now = await replica.find(cluster);
      return now?.metadata.finalizers?.includes(finalizer) === true && now;
    }, slow);
  }

  /** Whether it is gone, once a moment has passed for it. */
  async function gone(replica: Replica, cluster: Cluster): Promise<void> {
    await eventually(async () => {
      await replica.clock.advance(1000);
      return (await replica.find(cluster)) === undefined;
    }, slow);
  }

  const remove = (replica: Replica, cluster: Cluster): Promise<boolean> =>
    replica.concern.client.delete(cluster, { preconditions: "uid" });
  const create = (object: Parameters<typeof ensure>[1]): Promise<void> =>
    ensure(downstream, object);
  const role = (name: string, more: object = {}): ClusterRole => ({
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name, ...more },
    rules: [],
  });

  it("takes along what the server made, and leaves what people made", async () => {
    await using replica = await Replica.start();
    const cluster = await held(replica);
    const { name } = cluster.metadata;
    const norman = { labels: { "cattle.io/creator": "norman" } };
    const marked = (scope: string): object => ({
      labels: { "objectset.rio.cattle.io/hash": "x" },
      annotations: { "objectset.rio.cattle.io/id": `concern@${scope}` },
    });
    for (const each of ["cattle-system", "cattle-impersonation-system"]) {
      await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: each } });
    }
    const apps = {
      name: "apps",
      labels: { [labels.projectId]: "p-1", team: "blue" },
      annotations: { [annotations.projectId]: `${name}:p-1`, "cattle.io/status": "{}", note: "x" },
    };
    await create({ apiVersion: "v1", kind: "Namespace", metadata: apps });
    await create(role("normans", norman));
    await create(role("ours", marked(name)));
    await create(role("of-another-server", marked("c-else")));
    await create(role("a-persons"));
    await create(role("cattle-admin", norman));
    const ref = { apiGroup: rbac, kind: "ClusterRole", name: "cattle-admin" };
    const own = { name: "cattle-admin-binding", ...norman };
    await create({
      apiVersion: apiVersionOf(ClusterRoleBinding),
      kind: ClusterRoleBinding.kind,
      metadata: own,
      roleRef: ref,
    } as ClusterRoleBinding);
    const inApps = { name: "ours", namespace: "apps", ...norman };
    await create({ apiVersion: apiVersionOf(Role), kind: Role.kind, metadata: inApps });
    await create({
      apiVersion: apiVersionOf(RoleBinding),
      kind: RoleBinding.kind,
      metadata: inApps,
      roleRef: ref,
    } as RoleBinding);

    await remove(replica, cluster);
    await gone(replica, cluster);

    const find = async (each: string): Promise<boolean> =>
      (await downstream.find(ClusterRole, each)) !== undefined;
    expect(await find("normans")).to.equal(false);
    expect(await find("ours")).to.equal(false);
    expect(await find("of-another-server")).to.equal(true);
    expect(await find("a-persons")).to.equal(true);
    const stays = await downstream.get(Namespace, "apps");
    expect(stays.metadata.labels).to.include({ team: "blue" });
    expect(stays.metadata.labels).not.to.have.property(labels.projectId);
    expect(stays.metadata.annotations).to.deep.equal({ note: "x" });
    for (const each of ["cattle-system", "cattle-impersonation-system"]) {
      await eventually(async () => (await downstream.find(Namespace, each)) === undefined, slow);
    }
    const { items } = await downstream.list(RoleBinding, { namespace: "apps" });
    expect(items).to.deep.equal([]);
    await eventually(async () => !(await find("cattle-admin")), slow);
    expect(await downstream.find(ClusterRoleBinding, "cattle-admin-binding")).to.equal(undefined);
    expect(replica.fleet.stateOf(name)).to.equal(undefined);
  });

  const namespaceOf = (projectId: string): Promise<Namespace> =>
    downstream.create<Namespace>({
      apiVersion: "v1",
      kind: Namespace.kind,
      metadata: { name: uniqueName("ns"), annotations: { [annotations.projectId]: projectId } },
    });
  const policy = ({ metadata: { name: namespace } }: Namespace, name: string): KubeObject => ({
    ...{ apiVersion: apiVersionOf(NetworkPolicy), kind: NetworkPolicy.kind },
    ...{ metadata: { name, namespace }, spec: { podSelector: {}, policyTypes: ["Ingress"] } },
  });
  const limitRange = ({ metadata: { name: namespace } }: Namespace): KubeObject => ({
    ...{ apiVersion: apiVersionOf(LimitRange), kind: LimitRange.kind },
    ...{ metadata: { name: "default-x", namespace }, spec: { limits: [] } },
  });
  const kindOf = ({ kind }: KubeObject): Kind =>
    kind === LimitRange.kind ? LimitRange : NetworkPolicy;

  it("opens the network of namespaces again that it isolated, and keeps what people and other servers made", async () => {
    await using replica = await Replica.start();
    const cluster = await held(replica);
    const mine = await namespaceOf(`${cluster.metadata.name}:p-1`);
    const others = await namespaceOf("c-else:p-1");
    await create(policy(mine, "a-persons"));
    for (const owner of [mine, others]) {
      for (const object of [policy(owner, "np-default"), limitRange(owner)]) {
        const options = { owner, ownerReference: "none", fieldManager: "drover-x" } as const;
        await applySet(downstream, [object], { ...options, prune: [], keep: [kindOf(object)] });
      }
    }

    await remove(replica, cluster);
    await gone(replica, cluster);

    const left = async (kind: Kind, { metadata: { name } }: Namespace) =>
      (await downstream.list(kind, { namespace: name })).items.map((each) => each.metadata.name);
    expect(await left(NetworkPolicy, mine)).to.deep.equal(["a-persons"]);
    expect(await left(LimitRange, mine)).to.deep.equal([]);
    expect(await left(NetworkPolicy, others)).to.deep.equal(["np-default"]);
    expect(await left(LimitRange, others)).to.deep.equal(["default-x"]);
  });

  it("leaves a cluster alone that runs a server itself", async () => {
    await using replica = await Replica.start();
    const cluster = await held(replica);
    await eventually(async () => {
      await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "cattle-system" } });
      const found = await downstream.get(Namespace, "cattle-system");
      return found.metadata.deletionTimestamp === undefined;
    }, slow);
    await create({
      apiVersion: "v1",
      kind: Service.kind,
      metadata: { name: "rancher", namespace: "cattle-system" },
      spec: { ports: [{ port: 443 }] },
    } as Service);

    await remove(replica, cluster);
    await gone(replica, cluster);

    const stays = await downstream.get(Namespace, "cattle-system");
    expect(stays.metadata.deletionTimestamp).to.equal(undefined);
  });

  it("case 18: ends after three tries when the cluster is away, and says what is left", async () => {
    await using replica = await Replica.start();
    const ca = Buffer.from(access.ca, "base64").toString();
    await using proxy = await startFaultProxy({ server: access.server, credentials: { ca } });
    const cluster = await held(replica, { ...access, server: proxy.url });
    const { client, lines } = replica.concern;

    using _sick = proxy.always({ kind: "status", code: 400 });
    await remove(replica, cluster);
    await gone(replica, cluster);

    const tries = lines.filter((line) => line.includes("cannot clean up a cluster"));
    expect(tries).to.have.length(3);
    await replica.concern.flush();
    const events = await eventsAbout(client, cluster.metadata.name);
    expect(events.join())
      .to.include("NotCleanedUp: the cluster was removed here")
      .and.include("label cattle.io/creator=norman")
      .and.include(`ends in @${cluster.metadata.name}`);
  });

  it("touches nothing in a cluster that is not the one that it was", async () => {
    await using replica = await Replica.start();
    const cluster = await held(replica);
    const own = { name: uniqueName("note"), namespace: "default" };
    await downstream.create({ apiVersion: "v1", kind: ConfigMap.kind, metadata: own });
    const norman = role(uniqueName("normans"), {});
    const labelled = { ...norman.metadata, labels: { "cattle.io/creator": "norman" } };
    await create({ ...norman, metadata: labelled });
    const merge = { metadata: { annotations: { [annotations.clusterUid]: "somebody-else" } } };
    await replica.concern.client.patch<Cluster>(cluster, { merge });

    await remove(replica, cluster);
    await gone(replica, cluster);

    expect(await downstream.find(ClusterRole, norman.metadata.name)).not.to.equal(undefined);
    await replica.concern.flush();
    const told = (await eventsAbout(replica.concern.client, cluster.metadata.name)).join();
    expect(told).to.include("NotCleanedUp").and.not.to.include("delete there");
  });

  it("of one that was never reached waits for nobody", async () => {
    await using replica = await Replica.start();
    const cluster = await replica.concern.create<Cluster>({
      apiVersion: apiVersionOf(Cluster),
      kind: Cluster.kind,
      metadata: { name: uniqueName("c") },
      spec: {},
    });

    await remove(replica, cluster);

    await gone(replica, cluster);
  });
});
