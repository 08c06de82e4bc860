import { annotations, type Cluster, dataNamespace } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { secondTestEnv, uniqueName } from "@drover/env";
import { rendezvousOwner } from "@drover/platform";
import { expect } from "chai";
import {
  apiVersionOf,
  type Client,
  connect,
  findCondition,
  loadConfig,
  systemClock,
} from "kopf-ts";
import { ConfigMap, Namespace, Secret } from "kopf-ts/kinds";
import { eventually, type FaultProxy, startFaultProxy } from "kopf-ts/testing";
import { cluster as hubPlane } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { finalizer } from "./names.ts";
import { type Access, accessTo, reached } from "./testing/access.ts";
import { Replica, type ReplicaOptions, SomeMembers, signing } from "./testing/fleet.ts";

const slow = { within: 20_000 };

/** Lets time pass no faster than requests can be answered in it. */
async function passing(replica: Replica, step: number): Promise<void> {
  await replica.clock.advance(step);
  await systemClock.sleep(30);
}

/** Waits until nothing is done about the cluster any more; runs in work get their time to end. */
async function letGo(replica: Replica, name: string): Promise<void> {
  await eventually(async () => {
    await passing(replica, 1000);
    return replica.fleet.stateOf(name) === undefined;
  }, slow);
}

describe("cluster-controllers on a hub and a cluster", function () {
  this.timeout(90_000);

  let access: Access;
  let downstream: Client;
  let identity: string | undefined;
  const account = uniqueName("fleet");
  before(async () => {
    const plane = await secondTestEnv();
    access = await accessTo(plane, account);
    downstream = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    identity = (await downstream.get(Namespace, "kube-system")).metadata.uid;
  });
  after(() => downstream?.[Symbol.asyncDispose]());

  /** A proxy in front of the cluster, and a Cluster that is reached through it. */
  async function managed(replica: Replica): Promise<{ proxy: FaultProxy; cluster: Cluster }> {
    const ca = Buffer.from(access.ca, "base64").toString();
    const proxy = await startFaultProxy({ server: access.server, credentials: { ca } });
    const { client } = replica.concern;
    const cluster = await reached(client, { ...access, server: proxy.url }, (object) =>
      replica.concern.create(object),
    );
    return { proxy, cluster };
  }

  /** `True`, or `False <reason> <message>`, once the condition is as wanted. */
  async function told(
    replica: Replica,
    cluster: Cluster,
    type: string,
    wanted: string,
    step = 0,
  ): Promise<void> {
    let last = "";
    await eventually(
      async () => {
        if (step > 0) await passing(replica, step);
        const now = await replica.find(cluster);
        const { status, reason, message } = findCondition(now?.status?.conditions, type) ?? {};
        last = [status, reason, message].filter(Boolean).join(" ");
        return last.startsWith(wanted);
      },
      { ...slow, what: `${type} ${wanted}` },
    ).catch((error: unknown) => {
      throw new Error(`${type} is ${last}, not ${wanted}`, { cause: error });
    });
  }

  async function aNote(label: string): Promise<ConfigMap> {
    return downstream.create<ConfigMap>({
      apiVersion: apiVersionOf(ConfigMap),
      kind: ConfigMap.kind,
      metadata: { name: uniqueName("note"), namespace: "default", labels: { [label]: "" } },
    });
  }
  const signature = async (note: ConfigMap): Promise<string | undefined> => {
    const { name, namespace } = note.metadata;
    return (await downstream.get(ConfigMap, name, { namespace })).data?.signed;
  };
  const ready = (replica: Replica, { metadata: { name } }: Cluster): Promise<boolean> =>
    eventually(() => replica.fleet.stateOf(name)?.phase === "ready", slow);
  const signers = (label: string): ReplicaOptions => ({ controllers: [signing(label)] });

  it("engages a cluster that can be reached, says so, and keeps which one it is", async () => {
    const label = uniqueName("sign");
    await using replica = await Replica.start(signers(label));
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;
    const note = await aNote(label);

    await told(replica, cluster, "Connected", "True");
    await told(replica, cluster, "Ready", "True");
    await told(replica, cluster, "Waiting", "True");
    await eventually(async () => (await signature(note)) === cluster.metadata.name, slow);

    const now = await replica.find(cluster);
    expect(now?.metadata.annotations?.[annotations.clusterUid]).to.equal(identity);
    expect(now?.metadata.finalizers).to.include(finalizer);
    expect(await replica.metrics.text()).to.include('drover_clusters{phase="ready"} 1');
  });

  it("case 6: writes nothing more for a steady cluster, nor after a start", async () => {
    await using replica = await Replica.start();
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;
    const probed = async (): Promise<void> => {
      const asked = proxy.requests.length;
      await eventually(async () => {
        await passing(replica, 5_000);
        return proxy.requests.slice(asked).some(({ path }) => path.startsWith("/readyz"));
      }, slow);
    };
    await told(replica, cluster, "Ready", "True");
    await told(replica, cluster, "Waiting", "True");
    await ready(replica, cluster);
    await probed(); // what had begun before has been answered then
    const before = writes(replica.concern).length;

    await probed();

    expect(writes(replica.concern).slice(before)).to.deep.equal([]);

    await replica.fleet.retire(cluster.metadata.name);
    await using again = await Replica.start();
    const labels = { test: again.concern.label };
    await replica.concern.client.patch(cluster, { merge: { metadata: { labels } } });
    await ready(again, cluster);
    await again.clock.advance(15_000);
    await eventually(() => again.concern.sent.length > 0, slow);
    expect(writes(again.concern)).to.deep.equal([]);
  });

  it("works for the server's own cluster with the hub's client, and says no more of it than how it is", async () => {
    const label = uniqueName("sign");
    await using replica = await Replica.start(signers(label));
    const { client } = replica.concern;
    const cluster = await replica.concern.create(aCluster({ spec: { internal: true } }));
    const { name } = cluster.metadata;
    const conditions = [{ type: "Provisioned", status: "True" }];
    await client.patch(cluster, { merge: { status: { conditions } } }, { subresource: "status" });
    const metadata = { name: uniqueName("note"), namespace: "default", labels: { [label]: "" } };
    await client.create<ConfigMap>({ apiVersion: "v1", kind: ConfigMap.kind, metadata });

    await told(replica, cluster, "Ready", "True");

    await eventually(async () => {
      const note = await client.get(ConfigMap, metadata.name, { namespace: "default" });
      return note.data?.signed === name;
    }, slow);
    const now = await replica.find(cluster);
    expect(findCondition(now?.status?.conditions, "Connected")).to.equal(undefined);
    expect(now?.metadata.annotations ?? {}).not.to.have.property(annotations.clusterUid);
    await client.patch(cluster, { merge: { metadata: { finalizers: null } } });
  });

  it("says nothing of a cluster that is not provisioned, and what is missing of one that is", async () => {
    await using replica = await Replica.start();
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;
    await told(replica, cluster, "Ready", "True");
    const { client } = replica.concern;
    const name = cluster.status?.serviceAccountTokenSecret ?? "";
    const secret = await client.get(Secret, name, { namespace: dataNamespace });

    await client.delete(secret, { preconditions: "uid" });

    await told(replica, cluster, "Connected", "False TokenSecretNotFound");
    await told(replica, cluster, "Ready", "False Disconnected Cluster agent is not connected");
    expect(replica.fleet.stateOf(cluster.metadata.name)).to.equal(undefined);
  });

  it("case 14: counts a /readyz that fails as a failure at the third try, and one that succeeds then as none", async () => {
    await using replica = await Replica.start();
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;
    await told(replica, cluster, "Ready", "True");
    const isReadyz = ({ path }: { path: string }): boolean => path.startsWith("/readyz");
    const tries = (): number => proxy.requests.filter(isReadyz).length;
    const sick = { kind: "status", code: 500, message: "etcd failed" } as const;
    const untilTries = (count: number): Promise<unknown> =>
      eventually(async () => {
        await passing(replica, 1000);
        return tries() >= count;
      }, slow);

    const first = tries();
    for (let failed = 0; failed < 2; failed++) proxy.next(sick, isReadyz);
    await untilTries(first + 3);
    const recovered = await replica.find(cluster);
    using _sick = proxy.always(sick, isReadyz);
    await told(replica, cluster, "Ready", "False ComponentStatusFetchingFailure", 1000);

    expect(findCondition(recovered?.status?.conditions, "Ready")?.status).to.equal("True");
    await told(replica, cluster, "Connected", "True");
    await replica.concern.flush();
    const events = await eventsAbout(replica.concern.client, cluster.metadata.name);
    expect(events.join()).to.include("ComponentStatusFetchingFailure");
  });

  it("case 12, 13: says Disconnected when the cluster is away, and Connected when it is back", async () => {
    const label = uniqueName("sign");
    await using replica = await Replica.start(signers(label));
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;
    await told(replica, cluster, "Ready", "True");
    await ready(replica, cluster);

    await proxy.down();
    await told(replica, cluster, "Connected", "False Unreachable", 1000);
    await told(replica, cluster, "Ready", "False Disconnected Cluster agent is not connected");
    await proxy.up();
    await told(replica, cluster, "Connected", "True", 1000);
    await told(replica, cluster, "Ready", "True", 1000);

    const note = await aNote(label);
    await eventually(async () => (await signature(note)) === cluster.metadata.name, slow);
  });

  it("is not disturbed in one cluster by another that hangs", async () => {
    await using replica = await Replica.start();
    const hanging = await managed(replica);
    await using _hanging = hanging.proxy;
    using _silent = hanging.proxy.always({ kind: "silence" });
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;

    await told(replica, cluster, "Ready", "True");

    await ready(replica, cluster);
  });

  it("follows credentials that are replaced, and says when they are refused", async () => {
    await using replica = await Replica.start();
    const { proxy, cluster } = await managed(replica);
    await using _proxy = proxy;
    await told(replica, cluster, "Ready", "True");
    const { client } = replica.concern;
    const name = cluster.status?.serviceAccountTokenSecret ?? "";
    const secret = await client.get(Secret, name, { namespace: dataNamespace });
    const rotate = (token: string): Promise<unknown> =>
      client.patch(secret, {
        merge: { data: { credential: Buffer.from(token).toString("base64") } },
      });

    await rotate("wrong");
    await told(replica, cluster, "Connected", "False CredentialsRefused", 1000);
    await rotate(access.token);

    await told(replica, cluster, "Connected", "True", 1000);
    await ready(replica, cluster);
  });

  describe("when another cluster answers", () => {
    it("writes nothing to it, says so, and goes on once a person has said that it is right", async () => {
      const label = uniqueName("sign");
      await using replica = await Replica.start(signers(label));
      const { proxy, cluster } = await managed(replica);
      await using _proxy = proxy;
      await told(replica, cluster, "Ready", "True");
      const { client } = replica.concern;
      const { name } = cluster.metadata;
      const say = (uid: string | undefined): Promise<unknown> =>
        client.patch(cluster, {
          merge: { metadata: { annotations: { [annotations.clusterUid]: uid } } },
        });

      await say("11111111-2222-3333-4444-555555555555"); // as if it had been that one
      await told(replica, cluster, "Connected", "False OtherCluster", 1000);
      await told(replica, cluster, "Ready", "False OtherCluster");
      await letGo(replica, name);
      const note = await aNote(label);
      const refused = expect(() => replica.fleet.beforeWrite(name)).to.throw("another one");
      refused.with.property("shared", true); // all objects of the cluster meet it
      await replica.concern.flush();
      expect((await eventsAbout(client, name)).join()).to.include(annotations.clusterUid);

      expect(await signature(note)).to.equal(undefined);
      await say(identity);
      await told(replica, cluster, "Connected", "True", 1000);
      await eventually(async () => (await signature(note)) === name, slow);
    });

    it("works for a cluster under one name only, the one that it had first", async () => {
      const label = uniqueName("sign");
      await using replica = await Replica.start(signers(label));
      const first = await managed(replica);
      await using _first = first.proxy;
      await told(replica, first.cluster, "Ready", "True");
      const { proxy, cluster } = await managed(replica);
      await using _proxy = proxy;
      const { name } = first.cluster.metadata;

      await told(
        replica,
        cluster,
        "Ready",
        `False OtherCluster the API server is that of cluster ${name}`,
      );

      const note = await aNote(label);
      await eventually(async () => (await signature(note)) === name, slow);
      expect(replica.fleet.stateOf(cluster.metadata.name)).to.equal(undefined);
      expect((await replica.find(cluster))?.metadata.finalizers ?? []).not.to.include(finalizer);
    });

    it("refuses the server's own cluster under another name", async () => {
      await using replica = await Replica.start();
      const own = await accessTo(await hubPlane(), account);
      const cluster = await reached(replica.concern.client, own, (object) =>
        replica.concern.create(object),
      );

      await told(
        replica,
        cluster,
        "Connected",
        "False OtherCluster the API server is that of the server's own",
      );
      expect(replica.fleet.stateOf(cluster.metadata.name)).to.equal(undefined);
    });
  });

  describe("of several replicas", () => {
    it("case 15, 16: works for the clusters that fall to it, and lets go of them at once when they fall to another", async () => {
      const members = new SomeMembers("a", ["a"]);
      await using replica = await Replica.start({ members });
      const { proxy, cluster } = await managed(replica);
      await using _proxy = proxy;
      const { name, uid = "" } = cluster.metadata;
      await ready(replica, cluster);
      await told(replica, cluster, "Ready", "True");
      let tried = 0;
      let heir = "b0";
      while (rendezvousOwner(["a", heir], uid) !== heir) heir = `b${++tried}`; // one uid in fifty has none among fifty

      members.become(["a", heir]);

      await letGo(replica, name);
      expect(() => replica.fleet.beforeWrite(name)).to.throw("belongs to another replica");
      const before = writes(replica.concern).length;
      await replica.clock.advance(30_000);
      expect(writes(replica.concern).length).to.equal(before);
      expect(await replica.metrics.text()).to.include('drover_clusters{phase="elsewhere"} 1');
      members.become(["a"]);
      await ready(replica, cluster);
    });

    it("refuses writes as soon as its own lease may be over, by the clock, and says nothing of clusters either", async () => {
      const members = new SomeMembers("a");
      await using replica = await Replica.start({ members });
      const { proxy, cluster } = await managed(replica);
      await using _proxy = proxy;
      await ready(replica, cluster);
      await told(replica, cluster, "Ready", "True");
      await quiet(replica.concern); // what the same run writes besides

      members.isMember = false;

      expect(() => replica.fleet.beforeWrite(cluster.metadata.name)).to.throw("was not renewed");
      const before = writes(replica.concern).length;
      using _refused = proxy.always({ kind: "status", code: 401 });
      for (let turn = 0; turn < 12; turn++) await passing(replica, 5000);
      expect(writes(replica.concern).length).to.equal(before);
      members.isMember = true;
      await told(replica, cluster, "Connected", "False CredentialsRefused", 5000);
    });

    it("engages nothing while it does not know who else there is", async () => {
      const members = new SomeMembers("a", []);
      await using replica = await Replica.start({ members });
      const { proxy, cluster } = await managed(replica);
      await using _proxy = proxy;
      await eventually(() => replica.fleet.clientOf(cluster.metadata.name) !== undefined, slow);

      expect(replica.fleet.owns(cluster.metadata.name)).to.equal(false);
      members.become(["a"]);

      await ready(replica, cluster);
    });
  });
});
