import { readFile } from "node:fs/promises";
import { annotations, Cluster, dataNamespace } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { type ControlPlane, secondTestEnv, uniqueName } from "@drover/env";
import { clusterConfig, isReachable } from "@drover/platform";
import { expect } from "chai";
import { type Client, connect, findCondition, isAlreadyExists, loadConfig } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as hubPlane, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterImport } from "./index.ts";
import { finalizer } from "./names.ts";

const within = 20_000;

describe("cluster-import on a hub and a cluster", function () {
  this.timeout(90_000);

  let plane: ControlPlane;
  let remote: Client;
  let concern: RunningConcern;
  before(async () => {
    plane = await secondTestEnv();
    remote = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    await using hub = connect(await loadConfig({ kubeconfig: (await hubPlane()).kubeconfigPath }));
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: dataNamespace } };
    await hub.create(namespace).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  });
  after(() => remote?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    concern = await RunningConcern.open();
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  async function aKubeconfig(text: string): Promise<Secret> {
    return concern.client.create<Secret>({
      apiVersion: "v1",
      kind: Secret.kind,
      metadata: { name: uniqueName("kubeconfig"), namespace: dataNamespace },
      stringData: { value: text },
    });
  }
  const textOf = (of: ControlPlane): Promise<string> => readFile(of.kubeconfigPath, "utf8");
  const imported = (secret: string): Promise<Cluster> =>
    concern.create(
      aCluster({ metadata: { annotations: { [annotations.kubeconfigSecret]: secret } } }),
    );
  /** The Cluster once its condition is so. */
  const accepted = (cluster: Cluster, status: string, reason?: string): Promise<Cluster> =>
    eventually(
      async () => {
        const now = await concern.find(Cluster, cluster);
        const told = findCondition(now?.status?.conditions, "KubeconfigAccepted");
        return told?.status === status && (told.reason === reason || reason === undefined) && now;
      },
      { within, what: `KubeconfigAccepted ${status} ${reason}` },
    );
  const credentialOf = ({ status }: Cluster): Promise<Secret> =>
    concern.client.get(Secret, status?.serviceAccountTokenSecret ?? "", {
      namespace: dataNamespace,
    });
  const messageOf = ({ status }: Cluster): string =>
    findCondition(status?.conditions, "KubeconfigAccepted")?.message ?? "";

  it("makes an account in the cluster, and here the way to it", async () => {
    const secret = await aKubeconfig(await textOf(plane));
    await concern.run(clusterImport);

    const cluster = await accepted(await imported(secret.metadata.name), "True");

    expect(cluster.status).to.include({ driver: "imported", apiEndpoint: plane.url });
    expect(cluster.metadata.finalizers).to.deep.equal([finalizer]); // so that it is cleaned up, also if it is never ready
    const credential = await credentialOf(cluster);
    expect(credential.metadata.name).to.match(/^cluster-serviceaccounttoken-/);
    expect(credential.metadata.ownerReferences?.[0]?.uid).to.equal(cluster.metadata.uid);
    const way = clusterConfig(withCondition(cluster, "Provisioned"), credential);
    if (!isReachable(way)) throw new Error(way.message);
    await using client = connect(way.config);
    expect((await client.list(Secret, { limit: 1 })).items).to.be.an("array");
    const account = { namespace: "cattle-system" };
    expect(await remote.find(ServiceAccount, "cattle", account)).not.to.equal(undefined);
    const role = await remote.get(ClusterRole, "cattle-admin");
    expect(role.rules).to.deep.include({ apiGroups: ["*"], resources: ["*"], verbs: ["*"] });
    const binding = await remote.get(ClusterRoleBinding, "cattle-admin-binding");
    expect(binding.metadata.labels).to.include({ "cattle.io/creator": "norman" });
  });

  it("keeps a driver that is known, and asks and writes nothing once it is done, nor after a start", async () => {
    const secret = await aKubeconfig(await textOf(plane));
    const made = await imported(secret.metadata.name);
    const status = { driver: "k3s" };
    await concern.client.patch(made, { merge: { status } }, { subresource: "status" });
    await concern.run(clusterImport);
    const cluster = await accepted(made, "True");
    const { client } = concern;
    const merge = {
      metadata: { annotations: { note: "x", [annotations.clusterUid]: await uid(remote) } },
    };
    await client.patch(cluster, { merge });
    const marker = await imported("missing");
    await accepted(marker, "False", "SecretNotFound"); // so that it has seen all before

    const own = concern.sent.filter(({ verb }) => verb !== "get" && verb !== "watch");
    expect(cluster.status?.driver).to.equal("k3s");
    expect(own.filter(({ resource }) => resource === "secrets")).to.have.length(1);

    await using again = await RunningConcern.open();
    await client.patch(cluster, { merge: { metadata: { labels: { test: again.label } } } });
    await again.run(clusterImport);
    const second = await again.create(
      aCluster({ metadata: { annotations: { [annotations.kubeconfigSecret]: "missing" } } }),
    );
    await eventually(
      async () =>
        findCondition(
          (await again.find(Cluster, second))?.status?.conditions,
          "KubeconfigAccepted",
        ),
      { within },
    );
    await quiet(again);
    expect(writes(again)).to.have.length(1); // of the second cluster
  });

  it("waits until what an earlier import made is gone from the cluster", async () => {
    const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: "cattle-system" } };
    await remote.create(home).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    await remote.patch(home, { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    await remote.delete(home);
    const secret = await aKubeconfig(await textOf(plane));
    await concern.run(clusterImport);

    const cluster = await accepted(await imported(secret.metadata.name), "False", "ImportFailed");
    await remote.patch(home, { merge: { metadata: { finalizers: null } } });

    expect(messageOf(cluster)).to.include("cattle-system of an earlier import is being deleted");
    await accepted(cluster, "True");
    const made = await remote.get(Namespace, "cattle-system");
    expect(made.metadata.deletionTimestamp).to.equal(undefined);
  });

  it("follows a Secret that comes later, and one that is replaced", async () => {
    const name = uniqueName("kubeconfig");
    await concern.run(clusterImport);
    const cluster = await accepted(await imported(name), "False", "SecretNotFound");
    const text = await textOf(plane);
    const metadata = { name, namespace: dataNamespace };
    const secret = await concern.client.create<Secret>({
      apiVersion: "v1",
      kind: Secret.kind,
      metadata,
      stringData: { value: text },
    });
    const first = await credentialOf(await accepted(cluster, "True"));

    await concern.client.patch(secret, {
      merge: { stringData: { value: `${text}\n# rotated\n` } },
    });

    await eventually(
      async () => {
        const now = await credentialOf(cluster.status ? await accepted(cluster, "True") : cluster);
        return now.metadata.resourceVersion !== first.metadata.resourceVersion;
      },
      { within },
    );
  });

  it("repairs the credentials that somebody deleted, here or in the cluster", async () => {
    const secret = await aKubeconfig(await textOf(plane));
    await concern.run(clusterImport);
    const cluster = await accepted(await imported(secret.metadata.name), "True");
    const credential = await credentialOf(cluster);

    await concern.client.delete(credential, { preconditions: "uid" });

    const again = await eventually(
      async () => {
        const now = await credentialOf(cluster).catch(() => undefined);
        return now?.metadata.uid !== credential.metadata.uid && now;
      },
      { within },
    );
    expect(again.data?.credential).to.equal(credential.data?.credential);
  });

  it("takes back the Secret of its token that lost its owner, and leaves a stranger's of the name alone", async () => {
    const secret = await aKubeconfig(await textOf(plane));
    await concern.run(clusterImport);
    const cluster = await accepted(await imported(secret.metadata.name), "True");
    const { client } = concern;
    const credential = await credentialOf(cluster);
    const { uid } = cluster.metadata;

    await client.patch(credential, { merge: { metadata: { ownerReferences: null } } });
    const back = await eventually(
      async () => {
        const now = await credentialOf(cluster);
        return now.metadata.ownerReferences?.[0]?.uid === uid && now;
      },
      { within },
    );
    const bare = { ownerReferences: null, annotations: null };
    const merge = { metadata: bare, data: { credential: "eA==" } };
    await client.patch(back, { merge });
    const told = await accepted(cluster, "False", "NameTaken");

    const left = await credentialOf(cluster);
    expect(back.data).to.deep.equal(credential.data);
    expect(left.data?.credential).to.equal("eA==");
    expect(left.metadata.ownerReferences).to.equal(undefined);
    expect(messageOf(told)).to.include(`${credential.metadata.name}`).and.to.include("delete it");
    await client.delete(left, { preconditions: "uid" });
  });

  it("is not led to the token of another Cluster by a status that somebody wrote", async () => {
    const secret = await aKubeconfig(await textOf(plane));
    await concern.run(clusterImport);
    const other = await accepted(await imported(secret.metadata.name), "True");
    const cluster = await accepted(await imported(secret.metadata.name), "True");
    const foreign = other.status?.serviceAccountTokenSecret ?? "";
    const own = cluster.status?.serviceAccountTokenSecret;
    const status = { serviceAccountTokenSecret: foreign };

    const misled = await concern.client.patch<Cluster>(
      cluster,
      { merge: { status } },
      { subresource: "status" },
    );

    const way = clusterConfig(withCondition(misled, "Provisioned"), await credentialOf(misled));
    expect(way).to.include({ reason: "TokenSecretOfOther" });
    await eventually(
      async () => {
        const now = await concern.find(Cluster, cluster);
        return now?.status?.serviceAccountTokenSecret === own;
      },
      { within },
    );
    expect(own).not.to.equal(foreign);
  });

  it("says what is wrong with a kubeconfig, and why a cluster cannot be imported", async () => {
    const text = await textOf(plane);
    const bad = await aKubeconfig("hello");
    const away = await aKubeconfig(text.replace(plane.url, "https://127.0.0.1:1"));
    await concern.run(clusterImport);
    const [one, other] = [await imported(bad.metadata.name), await imported(away.metadata.name)];

    const refused = await accepted(one, "False", "InvalidKubeconfig");
    const failed = await accepted(other, "False", "ImportFailed");

    expect(messageOf(refused)).to.include(`Secret ${dataNamespace}/${bad.metadata.name}`);
    expect(messageOf(failed)).to.include("127.0.0.1:1");
    expect(refused.status?.apiEndpoint ?? "").to.equal("");
    expect(failed.metadata.finalizers ?? []).to.deep.equal([]);
    await concern.flush();
    const events = await eventsAbout(concern.client, one.metadata.name);
    expect(events.join()).to.include("InvalidKubeconfig");
    expect(concern.lines.filter((line) => line.includes('"error"'))).to.deep.equal([]);
  });

  it("imports neither the server's own cluster nor another one than before", async () => {
    const own = await aKubeconfig(await textOf(await hubPlane()));
    const secret = await aKubeconfig(await textOf(plane));
    await concern.run(clusterImport);
    const mine = await imported(own.metadata.name);
    const notes = {
      [annotations.kubeconfigSecret]: secret.metadata.name,
      [annotations.clusterUid]: "somebody-else",
    };
    const changed = await concern.create(aCluster({ metadata: { annotations: notes } }));

    expect(messageOf(await accepted(mine, "False", "OtherCluster"))).to.include("server's own");
    const told = messageOf(await accepted(changed, "False", "OtherCluster"));
    expect(told).to.include(annotations.clusterUid);
    const merge = { metadata: { annotations: { [annotations.clusterUid]: await uid(remote) } } };
    await concern.client.patch(changed, { merge });
    await accepted(changed, "True");
  });

  it("leaves clusters alone that name no kubeconfig, and the server's own", async () => {
    await concern.run(clusterImport);
    const plain = await concern.create(aCluster());
    const notes = { [annotations.kubeconfigSecret]: "missing" };
    const internal = await concern.create(
      aCluster({ metadata: { annotations: notes }, spec: { internal: true } }),
    );
    await accepted(await imported("missing"), "False", "SecretNotFound");

    expect((await concern.find(Cluster, plain))?.status).to.equal(undefined);
    expect((await concern.find(Cluster, internal))?.status).to.equal(undefined);
  });
});

async function uid(client: Client): Promise<string> {
  return (await client.get(Namespace, "kube-system")).metadata.uid ?? "";
}

function withCondition(cluster: Cluster, type: string): Cluster {
  const conditions = [...(cluster.status?.conditions ?? []), { type, status: "True" as const }];
  return { ...cluster, status: { ...cluster.status, conditions } };
}
