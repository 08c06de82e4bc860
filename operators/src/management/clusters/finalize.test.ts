import {
  annotations,
  backingNamespaceOf,
  Cluster,
  ClusterRoleTemplateBinding,
  clusterLifecycleNames,
  labels,
  lifecycleNames,
  Project,
  RoleTemplate,
} from "@drover/crds";
import { aCluster, aClusterRoleTemplateBinding, aNode, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import {
  type Client,
  type Context,
  findCondition,
  type Kind,
  type KubeObject,
  type ListOptions,
  refTo,
} from "kopf-ts";
import { ClusterRole, Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as plane, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { removeCluster } from "./finalize.ts";
import { clusters } from "./index.ts";
import { finalizer } from "./names.ts";

const within = 30_000; // the controller manager ends namespaces
const env = {};

describe("the end of a cluster on an API server", function () {
  this.timeout(90_000);

  let concern: RunningConcern;

  before(() => plane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(clusters({ env }));
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const settled = async (metadata: Partial<Cluster["metadata"]> = {}): Promise<Cluster> => {
    const cluster = await concern.create(aCluster({ metadata }));
    return eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        const said = findCondition(found?.status?.conditions, "InitialRolesPopulated")?.status;
        return said === "True" && found;
      },
      { within },
    );
  };
  const remove = (object: KubeObject) => concern.client.delete(object, { preconditions: "uid" });
  const gone = (what: string, find: () => Promise<KubeObject | undefined>) =>
    eventually(async () => (await find()) === undefined, { within, what: `${what} to be gone` });
  const goneCluster = (cluster: Cluster) =>
    gone("the Cluster", () => concern.find(Cluster, cluster));

  it("case 18, 19: takes projects, System among them, members and namespace along, whatever the cluster's controllers left", async () => {
    const cluster = await settled();
    const { name } = cluster.metadata;
    const { finalizer } = clusterLifecycleNames("project-namespace-auth", name);
    const other = clusterLifecycleNames("project-namespace-auth", `${name}x`).finalizer;
    const merge = { metadata: { finalizers: [finalizer] } };
    const { items } = await concern.client.list(Project, { namespace: name });
    for (const project of items) await concern.client.patch(project, { merge });
    const secret = {
      ...refTo(Secret, "held", name),
      metadata: { name: "held", namespace: name, ...merge.metadata },
    };
    await concern.client.create(secret);
    const binding = aClusterRoleTemplateBinding({
      metadata: { namespace: name, ...merge.metadata },
      clusterName: name,
    });
    await concern.client.create(binding);
    await concern.client.create(aNode({ metadata: { namespace: name } }));
    const role = await concern.create(
      aRoleTemplate({ metadata: { finalizers: [other, finalizer] } }),
    );
    expect(items.some(({ metadata }) => metadata.labels?.[labels.systemProject])).to.equal(true);

    await remove(cluster);

    await goneCluster(cluster);
    await gone("the namespace", () => concern.client.find(Namespace, name));
    const left = await concern.client.get(RoleTemplate, role.metadata.name);
    expect(left.metadata.finalizers).to.deep.equal([other]);
    expect((await concern.client.list(Project, { namespace: name })).items).to.deep.equal([]);
    await gone("the role", () => concern.client.find(ClusterRole, `${name}-clusterowner`));
    await concern.client.patch(left, { merge: { metadata: { finalizers: [] } } });
  });

  it("looks only into what is the cluster's own, however much others have", async () => {
    const asked = new Set<string | undefined>();
    const listening = (client: Client): Client =>
      new Proxy(client, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== "function") return value;
          return (...args: readonly unknown[]) => {
            const [, options] = args as [Kind, ListOptions?];
            if (key === "list" || key === "pages") asked.add(options?.namespace);
            return Reflect.apply(value, target, args);
          };
        },
      });
    await using narrow = await RunningConcern.open({ through: listening });
    await narrow.run(clusters({ env }));
    const cluster = await narrow.create(aCluster());
    const { name } = cluster.metadata;
    const projects = await eventually(
      async () => {
        const found = await narrow.find(Cluster, cluster);
        const said = findCondition(found?.status?.conditions, "InitialRolesPopulated")?.status;
        return said === "True" && (await narrow.client.list(Project, { namespace: name })).items;
      },
      { within },
    );
    asked.clear(); // a new cluster looks at all role templates, once

    await narrow.client.delete(cluster, { preconditions: "uid" });
    await gone("the Cluster", () => narrow.find(Cluster, cluster));

    expect([...asked]).to.have.members([name, ...projects.map(backingNamespaceOf)]);
  });

  it("deletes nothing of another cluster that has the name by now", async () => {
    const cluster = await settled();
    const { name } = cluster.metadata;
    const { client } = concern;
    const former = {
      ...cluster.metadata,
      uid: "former",
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    const finalizers = cluster.metadata.finalizers?.filter((each) => each === finalizer) ?? [];

    await removeCluster(
      { ...cluster, metadata: { ...former, finalizers } },
      { client } as Context, // which asks nothing else before it knows
      { env },
    );

    const { items } = await client.list(Project, { namespace: name });
    expect(items.map(({ metadata }) => metadata.deletionTimestamp)).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it("waits for who else holds the cluster, says so, and keeps everything until then", async () => {
    const agents = lifecycleNames("cluster-agent-controller-cleanup").finalizer;
    const cluster = await settled({ finalizers: [agents] });
    const { name } = cluster.metadata;

    await remove(cluster);
    const said = await eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        return findCondition(found?.status?.conditions, "Removed");
      },
      { within },
    );
    const projects = await concern.client.list(Project, { namespace: name });
    const live = (await concern.find(Cluster, cluster)) as Cluster;
    const left = live.metadata.finalizers?.filter((each) => each !== agents);
    await concern.client.patch(live, { merge: { metadata: { finalizers: left } } });

    await goneCluster(cluster);
    expect(said).to.include({ status: "Unknown", reason: "WaitsForFinalizers" });
    expect(said.message).to.include(agents);
    expect(projects.items).to.have.length(2);
    await gone("the namespace", () => concern.client.find(Namespace, name));
  });

  it("tells people of a finalizer that nobody of us removes", async () => {
    const cluster = await settled({ finalizers: ["example.com/hold"] });

    await remove(cluster);
    await eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        return findCondition(found?.status?.conditions, "Removed")?.status === "False";
      },
      { within },
    );
    const events = await eventually(
      async () => {
        await concern.flush();
        const found = await eventsAbout(concern.client, cluster.metadata.name);
        return found.length > 0 && found;
      },
      { within },
    );
    const live = (await concern.find(Cluster, cluster)) as Cluster;
    const left = live.metadata.finalizers?.filter((each) => each !== "example.com/hold");
    await concern.client.patch(live, { merge: { metadata: { finalizers: left } } });

    await goneCluster(cluster);
    expect(events.join()).to.include("WaitsForFinalizers: waiting until finalizers of others");
  });

  it("removes finalizers of a Rancher before it that nobody acts upon", async () => {
    const cluster = await settled({
      finalizers: [
        lifecycleNames("cluster-scoped-gc").finalizer,
        lifecycleNames("cluster-provisioner-controller").finalizer,
      ],
    });
    const own = clusterLifecycleNames("cluster-sync", cluster.metadata.name).finalizer;
    const finalizers = [...(cluster.metadata.finalizers ?? []), own];
    await concern.client.patch(cluster, { merge: { metadata: { finalizers } } });

    await remove(cluster);

    await goneCluster(cluster);
  });

  it("keeps a namespace that was not made for the cluster", async () => {
    const cluster = await settled();
    const { name } = cluster.metadata;
    const bereft = { labels: null, annotations: null };
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    await concern.client.patch(refTo(Namespace, name), { merge: { metadata: bereft } });
    const merge = { metadata: { labels: { test: concern.label } } };
    const mine = await concern.client.patch<Cluster>(cluster, { merge });
    await remove(mine);

    await concern.run(clusters({ env }));

    await goneCluster(cluster);
    const namespace = await concern.client.get(Namespace, name);
    const { items } = await concern.client.list(ClusterRoleTemplateBinding, { namespace: name });
    expect(namespace.metadata.deletionTimestamp).to.equal(undefined);
    expect(namespace.metadata.annotations?.[annotations.systemNamespace]).to.equal(undefined);
    expect(items).to.deep.equal([]);
  });
});
