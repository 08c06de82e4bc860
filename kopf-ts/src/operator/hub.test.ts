import { type ControlPlane, freshNamespace, secondTestEnv, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { EventRecorder } from "../apply/index.ts";
import { Informers } from "../cache/index.ts";
import { type Controller, done, related } from "../control/index.ts";
import { type Client, connect, defineKind, type KubeObject, loadConfig } from "../kube/index.ts";
import { Metrics } from "../observe/index.ts";
import { eventually } from "../testing/index.ts";
import { hubSource } from "./cluster.ts";
import { ClusterSet, type ClusterSetOptions } from "./cluster-set.ts";
import type { HubParts } from "./equipment.ts";
import { aGadget, install } from "./testing/gadgets.ts";

type Data = KubeObject & { readonly data?: Readonly<Record<string, string>> };

const ConfigMap = defineKind<Data>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** A hub for one test. */
interface Hub extends HubParts, AsyncDisposable {
  readonly informers: Informers;
  readonly namespace: string;
}

async function aHub(plane: ControlPlane, metrics?: Metrics): Promise<Hub> {
  const client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  const informers = new Informers(client, { cluster: "local", metrics });
  const events = new EventRecorder(client, { reportingController: "test" });
  const namespace = await freshNamespace(plane);
  const dispose = async (): Promise<void> => {
    await events.flush();
    await informers.dispose();
    await client[Symbol.asyncDispose]();
  };
  return { client, informers, events, namespace, [Symbol.asyncDispose]: dispose };
}

describe("ClusterSet with a hub", function () {
  this.timeout(30_000);
  let hubPlane: ControlPlane;
  let plane: ControlPlane;
  before(async function () {
    this.timeout(180_000);
    [hubPlane, plane] = await Promise.all([testEnv(), secondTestEnv()]);
  });

  const config = () => loadConfig({ kubeconfig: plane.kubeconfigPath });

  function aSet(options: Partial<ClusterSetOptions>): ClusterSet {
    const metrics = new Metrics({ process: false });
    return new ClusterSet({ name: "test", metrics, backoff: { min: 50, max: 200 }, ...options });
  }

  /** Copies ConfigMaps of the hub's namespace that name the cluster in their data to the cluster's namespace. */
  function copying(from: string, to: string, seen: string[] = []): Controller<Data> {
    return {
      name: "copying",
      watches: ConfigMap,
      hub: { clusters: ({ data }) => data?.clusters?.split(",") ?? [] },
      select: { namespace: from },
      reconcile: async ({ metadata: { name } }, { client, cluster, events }) => {
        seen.push(`${cluster} ${name}`);
        const metadata = { name: `${name}-${cluster}`, namespace: to };
        await client.apply<Data>(
          { apiVersion: "v1", kind: "ConfigMap", metadata },
          {
            fieldManager: "test",
          },
        );
        events.normal("Copied", `to ${cluster}`);
        return done;
      },
    };
  }

  const objectIn = (client: Client, namespace: string, clusters: string): Promise<Data> =>
    client.create<Data>({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: uniqueName("x"), namespace },
      data: { clusters },
    });

  it("runs each cluster's controllers for what concerns it, from one watch of the hub", async () => {
    await using hub = await aHub(hubPlane);
    const to = await freshNamespace(plane);
    const seen: string[] = [];
    await using clusters = aSet({ hub, controllers: [copying(hub.namespace, to, seen)] });
    const { metadata } = await objectIn(hub.client, hub.namespace, "a,b");

    const engaged = await Promise.all(
      ["a", "b", "c"].map(async (name) => clusters.engage(name, await config())),
    );

    const [a] = engaged;
    const copies = async () => (await a?.client.list(ConfigMap, { namespace: to }))?.items ?? [];
    const copied = async () =>
      (await copies()).filter(({ metadata: { name } }) => name.startsWith(metadata.name));
    await eventually(async () => (await copied()).length === 2, {
      what: "both copies",
      within: 10_000,
    });
    expect(seen.toSorted()).to.deep.equal([`a ${metadata.name}`, `b ${metadata.name}`]);
    const watches = hub.informers.report().filter(({ kind }) => kind.kind === "ConfigMap");
    expect(watches.map(({ users }) => users)).to.deep.equal([3]);
  });

  it("engages the hub itself with what it has, and leaves it there", async () => {
    const metrics = new Metrics({ process: false });
    await using hub = await aHub(hubPlane, metrics);
    const { namespace } = hub;
    const clusters = aSet({ hub, metrics, controllers: [copying(namespace, namespace)] });
    const object = await objectIn(hub.client, namespace, "local");

    const local = await clusters.engage("local", hubSource);

    expect([local.client, local.informers]).to.deep.equal([hub.client, hub.informers]);
    const name = `${object.metadata.name}-local`;
    await eventually(() => hub.client.find(ConfigMap, name, { namespace }), {
      what: "the copy",
      within: 10_000,
    });
    expect(clusters.state("local")).to.deep.equal({ phase: "ready" });
    using kept = hub.informers.acquire(ConfigMap, { namespace });

    await clusters.disengage("local");
    await clusters[Symbol.asyncDispose]();

    const { metadata } = await objectIn(hub.client, namespace, "");
    expect(await kept.cache.waitFor(metadata.resourceVersion ?? "")).to.equal(true);
    expect(local.signal.aborted).to.equal(true);
    expect(await metrics.text()).to.match(/kopf_cache_objects\{[^}]*cluster="local"/);
  });

  it("writes Events about the hub's objects there", async () => {
    await using hub = await aHub(hubPlane);
    const to = await freshNamespace(plane);
    await using clusters = aSet({ hub, controllers: [copying(hub.namespace, to)] });
    const { metadata } = await objectIn(hub.client, hub.namespace, "a");
    await clusters.engage("a", await config());

    const Event = defineKind<KubeObject & { readonly note: string }>({
      ...ConfigMap,
      group: "events.k8s.io",
      plural: "events",
      kind: "Event",
    });
    const events = async () => {
      const fieldSelector = `regarding.name=${metadata.name}`;
      const { items } = await hub.client.list(Event, { namespace: hub.namespace, fieldSelector });
      return items.length > 0 ? items : undefined;
    };

    const [event] = await eventually(events, { what: "the Event", within: 10_000 });
    expect(event?.note).to.equal("to a");
  });

  it("asks beforeWrite about a cluster's writes to the hub as well", async () => {
    await using hub = await aHub(hubPlane);
    const asked: string[] = [];
    const failures: string[] = [];
    const writing: Controller<Data> = {
      ...copying(hub.namespace, hub.namespace),
      reconcile: async (object, context) => {
        const refused = (error: Error): void => void failures.push(error.message);
        await context.hub.client
          .patch<Data>(object, { merge: { data: { written: "" } } })
          .catch(refused);
        return done;
      },
    };
    const beforeWrite = (cluster: string): void => {
      asked.push(cluster);
      throw new Error(`${cluster} is another's`);
    };
    await using clusters = aSet({ hub, beforeWrite, controllers: [writing] });
    await objectIn(hub.client, hub.namespace, "a");

    await clusters.engage("a", await config());

    await eventually(() => failures.length === 1, { what: "the refusal", within: 10_000 });
    expect([asked, failures]).to.deep.equal([["a"], ["a is another's"]]);
  });

  it("says which kind of the hub a cluster waits for", async () => {
    await using hub = await aHub(hubPlane);
    const gadget = aGadget();
    const waiting: Controller<Data> = {
      ...copying(hub.namespace, hub.namespace),
      related: [related(gadget, { hub: true, map: () => [] })],
    };
    await using clusters = aSet({ hub, controllers: [waiting] });

    const engaging = clusters.engage("a", await config());

    const told = (): boolean => JSON.stringify(clusters.state("a")).includes("of the hub");
    await eventually(told, { what: "the reason", within: 10_000 });
    expect(JSON.stringify(clusters.state("a"))).to.include(`gadgets.${gadget.group} of the hub`);
    await install(hub.client, gadget);
    hub.informers.retry([gadget]); // whose hub it is looks for new kinds
    await engaging;
  });

  it("takes no controller of a hub that it is not given", () => {
    expect(() => aSet({ controllers: [copying("from", "to")] })).to.throw(
      TypeError,
      'controller "copying" declares objects of the hub, and there is none',
    );
  });

  it("has no hub to engage unless it is given one", async () => {
    await using clusters = aSet({});

    const thrown = await clusters.engage("local", hubSource).catch((error: unknown) => error);

    expect(thrown).to.be.instanceOf(TypeError).with.property("message").that.includes("no hub");
    expect(clusters.names()).to.deep.equal([]);
  });
});
