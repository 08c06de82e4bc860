import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { Informers } from "../cache/index.ts";
import { type Controller, ControllerRunner, done, owned, requeueAfter } from "../control/index.ts";
import { refTo } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import { applySet } from "./apply-set.ts";
import { setIndex } from "./marks.ts";
import { ConfigMap, type Data, ResourceQuota, Secret, TestCluster } from "./testing/cluster.ts";

const indexes = { [setIndex.name]: setIndex.of };

/** Keeps a ConfigMap beside each Secret of a label, and one in another namespace, where no ownerReference can point. */
function copies(label: string, elsewhere: string, seen: Set<string>): Controller<Data> {
  return {
    name: "copies",
    watches: Secret,
    select: { labelSelector: `test=${label}` },
    owns: [owned(ConfigMap, { indexes })],
    reconcile: async (secret, { client, cache }) => {
      const { name, namespace = "", annotations = {} } = secret.metadata;
      const copy = (where: string): Data => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: where },
        data: { wanted: annotations.wanted ?? "1" },
      });
      const objects = annotations.wanted === "none" ? [] : [copy(namespace), copy(elsewhere)];
      await applySet(client, objects, {
        owner: secret,
        fieldManager: "copies",
        prune: [ConfigMap],
        caches: cache,
      });
      seen.add(annotations.note ?? "");
      return done;
    },
  };
}

describe("applySet in a controller", function () {
  this.timeout(60_000);

  before(() => testEnv());

  it("repairs, recreates and prunes across namespaces, and is silent in between", async () => {
    await using cluster = await TestCluster.open();
    await using informers = new Informers(cluster.client, { freeze: true });
    const { client, namespace } = cluster;
    const elsewhere = await freshNamespace(await testEnv());
    const label = uniqueName("copies");
    const seen = new Set<string>();
    const runner = new ControllerRunner(copies(label, elsewhere, seen), { client, informers });
    const stop = new AbortController();
    const running = runner.start(stop.signal);
    const idle = (): boolean => runner.waiting + runner.working + runner.delayed === 0;
    const writes = () =>
      cluster.requests().filter((each) => /^(apply|delete) configmaps/.test(each));
    const copyIn = async (where: string, value: string): Promise<Data> =>
      eventually(
        async () => {
          const found = await client.find(ConfigMap, label, { namespace: where });
          return found?.data?.wanted === value ? found : undefined;
        },
        { within: 5_000 },
      );

    const secret = await client.create<Data>({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: label, namespace, labels: { test: label } },
    });
    await copyIn(namespace, "1");
    const far = await copyIn(elsewhere, "1");
    await eventually(idle, { within: 5_000 });
    const created = writes();

    await client.patch(far, { merge: { data: { wanted: "drifted" } } });
    await copyIn(elsewhere, "1");
    await client.delete({ ...far, metadata: { name: label, namespace: elsewhere } });
    await copyIn(elsewhere, "1");
    await eventually(idle, { within: 5_000 });
    const repaired = writes().filter((each) => each.startsWith("apply"));

    await client.patch(secret, { merge: { metadata: { annotations: { note: "unrelated" } } } });
    await client.patch(secret, { merge: { metadata: { annotations: { note: "again" } } } });
    await eventually(() => seen.has("again") && idle(), { within: 5_000 });
    const silent = writes();

    await client.patch(secret, { merge: { metadata: { annotations: { wanted: "none" } } } });
    await eventually(
      async () => (await client.find(ConfigMap, label, { namespace: elsewhere })) === undefined,
      { within: 5_000 },
    );

    expect(created).to.deep.equal(["apply configmaps 201", "apply configmaps 201"]);
    expect(repaired).to.have.members(["apply configmaps 200", "apply configmaps 201"]);
    expect(silent).to.deep.equal([]);
    stop.abort();
    await running;
  });

  it("is silent without caches too, also about what the server stores in another form", async () => {
    await using cluster = await TestCluster.open();
    await using informers = new Informers(cluster.client, { freeze: true });
    const { client, namespace } = cluster;
    const quota = {
      ...refTo(ResourceQuota, "q", namespace),
      spec: { hard: { "requests.cpu": "1000m" } },
    };
    const runs: (readonly string[])[] = [];
    const controller: Controller<Data> = {
      name: "quotas",
      watches: Secret,
      select: { namespace },
      reconcile: async (secret, context) => {
        cluster.requests();
        await applySet(context.client, [quota], {
          owner: secret,
          fieldManager: "quotas",
          prune: [ResourceQuota],
        });
        runs.push(cluster.requests().filter((each) => each.includes("quotas")));
        return runs.length < 3 ? requeueAfter(1) : done;
      },
    };
    const runner = new ControllerRunner(controller, { client, informers });
    const stop = new AbortController();
    const running = runner.start(stop.signal);
    await client.create<Data>({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace },
    });

    await eventually(() => runs.length === 3, { within: 10_000 });

    const listed = ["list resourcequotas 200"];
    expect(runs[0]).to.include("apply resourcequotas 201");
    expect(runs.slice(1)).to.deep.equal([listed, listed]);
    stop.abort();
    await running;
  });
});
