import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { textAt } from "../tree.ts";
import { LiveTypes } from "../types/index.ts";
import { aKind, crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import type { ObjectId } from "./inventory.ts";
import { LiveInventory } from "./live-inventory.ts";

const within = { within: 30_000 };
const finalizers = ["example.com/wait"];

describe("the inventory of a cluster", function () {
  this.timeout(90_000);

  const stop = new AbortController();
  let plane: ControlPlane;
  let client: Client;
  let informers: Informers;
  let inventory: LiveInventory;

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    informers = new Informers(client, { managedFields: "cold" });
    const parts = { client, informers, clock: systemClock, log: silentLogger };
    const types = new LiveTypes(parts);
    void types.start(stop.signal);
    inventory = new LiveInventory({ ...parts, types });
    inventory.start(stop.signal);
    await eventually(() => inventory.of("pod")?.synced, within);
  });
  after(async () => {
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  const core = (namespace: string, plural: string): string =>
    `/api/v1/namespaces/${namespace}/${plural}`;
  const spec = { containers: [{ name: "a", image: "example.com/web:1" }] };
  /** A namespace may still lack the service account that Pods need. */
  const make = (path: string, name: string, fields: object = {}, metadata: object = {}) =>
    eventually(async () => {
      const sent = { metadata: { name, ...metadata }, ...fields };
      const made = await send(client, "POST", path, sent);
      return textAt(made, "kind") === "Status" ? undefined : { made };
    }, within).then(({ made }) => made);
  const ownedBy = (apiVersion: string, kind: string, owner: unknown): object => ({
    ownerReferences: [
      {
        ...{ apiVersion, kind, name: textAt(owner, "metadata", "name") },
        ...{ uid: textAt(owner, "metadata", "uid"), controller: true },
      },
    ],
  });
  const tally = (typeId: string, namespace: string) => ({
    ...inventory.of(typeId)?.namespaces.get(namespace),
  });

  it("counts objects by namespace and state, as they come, change and go", async () => {
    const namespace = await freshNamespace(plane);
    await make(core(namespace, "secrets"), "one");
    await make(core(namespace, "secrets"), "two", {}, { finalizers });
    await eventually(() => tally("secret", namespace).count === 2, within);
    expect(tally("secret", namespace)).to.deep.equal({
      ...{ count: 2, errors: 0, transitioning: 0, inProgress: 0 },
    });

    await send(client, "DELETE", `${core(namespace, "secrets")}/two`);
    await eventually(() => tally("secret", namespace).transitioning === 1, within);
    expect(tally("secret", namespace)).to.include({ count: 2, inProgress: 1 });
    expect(inventory.standingOf("secret", namespace, "two")).to.include({ state: "removing" });

    await send(client, "DELETE", `${core(namespace, "secrets")}/one`);
    const patch = { metadata: { finalizers: null } };
    await send(client, "PATCH", `${core(namespace, "secrets")}/two`, patch);
    await eventually(() => !inventory.of("secret")?.namespaces.has(namespace), within);
    expect(inventory.standingOf("secret", namespace, "one")).to.equal(undefined);
  });

  it("counts errors", async () => {
    const namespace = await freshNamespace(plane);
    const conditions = [{ type: "Failed", status: "True", message: "no luck" }];
    const annotations = { "cattle.io/status": JSON.stringify({ conditions }) };
    await make(core(namespace, "secrets"), "bad", {}, { annotations });
    await make(core(namespace, "secrets"), "good");

    await eventually(() => tally("secret", namespace).count === 2, within);

    expect(tally("secret", namespace)).to.include({ errors: 1, inProgress: 0 });
    expect(inventory.standingOf("secret", namespace, "bad")).to.deep.equal({
      ...{ state: "error", error: true, transitioning: false, message: "no luck" },
    });
  });

  it("keeps images", async () => {
    const namespace = await freshNamespace(plane);
    await make(core(namespace, "pods"), "web", { spec });
    await eventually(() => tally("pod", namespace).count === 1, within);

    const image = inventory.of("pod")?.cache.valueOf(`${namespace}/web`, "inventory.images");

    expect(image).to.equal("example.com/web:1");
  });

  it("keeps labels", async () => {
    const namespace = await freshNamespace(plane);
    const labels = { app: "web", "example.com/tier": "front" };
    await make(core(namespace, "secrets"), "web", {}, { labels });
    await eventually(() => tally("secret", namespace).count === 1, within);

    const kept = inventory.of("secret")?.cache.valueOf(`${namespace}/web`, "inventory.labels");

    expect(kept).to.equal("app=web|example.com/tier=front");
  });

  it("keeps no bytes", async () => {
    for (const id of ["secret", "configmap"]) {
      await eventually(() => inventory.of(id)?.synced, within);
      expect(inventory.of(id)?.cache.size).to.be.greaterThan(0);
      expect(inventory.of(id)?.cache.stats.bytes).to.equal(0);
    }
  });

  it("finds what points at an object, until it does no more", async () => {
    const namespace = await freshNamespace(plane);
    const [secrets, configMaps, pods] = [
      core(namespace, "secrets"),
      core(namespace, "configmaps"),
      core(namespace, "pods"),
    ];
    const owner = await make(configMaps, "settings");
    await make(secrets, "owned", {}, ownedBy("v1", "ConfigMap", owner));
    const volumes = [{ name: "v", configMap: { name: "settings" } }];
    await make(pods, "user", { spec: { ...spec, volumes } });
    const inbound = () =>
      inventory.inbound("configmap", namespace, "settings").map(({ standing, ...rest }) => rest);

    await eventually(() => inbound().length === 2, within);
    expect(inbound()).to.deep.equal([
      { typeId: "pod", namespace, name: "user", rel: "uses", towards: false },
      { typeId: "secret", namespace, name: "owned", rel: "owner", towards: true },
    ]);

    await send(client, "PATCH", `${secrets}/owned`, { metadata: { ownerReferences: null } });
    await eventually(() => inbound().length === 1, within);
    await send(client, "DELETE", `${pods}/user?gracePeriodSeconds=0`);
    await eventually(() => inbound().length === 0, within);
  });

  it("finds what belongs to an object at any depth", async () => {
    const namespace = await freshNamespace(plane);
    const [secrets, configMaps] = [core(namespace, "secrets"), core(namespace, "configmaps")];
    const top = await make(secrets, "top");
    const middle = await make(configMaps, "middle", {}, ownedBy("v1", "Secret", top));
    for (const name of ["a", "b"]) {
      await make(secrets, name, {}, ownedBy("v1", "ConfigMap", middle));
    }
    await make(secrets, "other");
    const owner = { typeId: "secret", namespace, name: "top" };
    const found = (passes?: (object: ObjectId) => boolean) =>
      [...inventory.descendants(owner, passes)]
        .map(({ typeId, name }) => `${typeId} ${name}`)
        .sort();

    await eventually(() => found().length === 3, within);

    expect(found()).to.deep.equal(["configmap middle", "secret a", "secret b"]);
    expect(found(({ name }) => name !== "a")).to.deep.equal(["configmap middle", "secret b"]);
    expect(found(({ typeId }) => typeId === "secret")).to.deep.equal([]);
  });

  it("points at owners outside of namespaces", async () => {
    const namespace = await freshNamespace(plane);
    const node = await make("/api/v1/nodes", uniqueName("node"));
    const name = textAt(node, "metadata", "name");
    await make(core(namespace, "secrets"), "owned", {}, ownedBy("v1", "Node", node));

    await eventually(() => inventory.inbound("node", "", name).length === 1, within);
  });

  it("follows types that come and go, and tells that they do", async () => {
    const kind = aKind();
    const id = `${kind.group}.${kind.kind}`.toLowerCase();
    const namespace = await freshNamespace(plane);
    const told = new Set<string>();
    using _listening = inventory.onChange((ids) => {
      for (const each of ids) told.add(each);
    });
    await make(core(namespace, "secrets"), "owner");
    const secret = await send(client, "GET", `${core(namespace, "secrets")}/owner`);

    await install(client, crdOf(kind, {}));
    const path = `/apis/${kind.group}/v1/namespaces/${namespace}/${kind.plural}`;
    await send(client, "POST", path, {
      ...{ apiVersion: `${kind.group}/v1`, kind: kind.kind },
      metadata: { name: "one", ...ownedBy("v1", "Secret", secret) },
    });
    await eventually(() => inventory.of(id)?.namespaces.get(namespace)?.count === 1, within);
    await eventually(() => told.has(id), within);
    expect(inventory.inbound("secret", namespace, "owner")).to.have.length(1);

    told.clear();
    await uninstall(client, kind);
    await eventually(() => inventory.of(id) === undefined && told.has(id), within);
    expect(inventory.inbound("secret", namespace, "owner")).to.deep.equal([]);
  });

  it("does without a type that cannot be listed", async () => {
    const broken = aKind("broken");
    const id = `${broken.group}.${broken.kind}`.toLowerCase();
    const crd = crdOf(broken, { name: "v1" }, { name: "v2" });
    await install(client, {
      ...crd,
      spec: { ...crd.spec, ...{ conversion: { strategy: "Webhook", webhook: nowhere } } },
    });
    const namespace = await freshNamespace(plane);
    const path = `/apis/${broken.group}/v1/namespaces/${namespace}/${broken.plural}`;
    const body = { apiVersion: `${broken.group}/v1`, kind: broken.kind };
    await send(client, "POST", path, { ...body, metadata: { name: "one" } });
    const stopBoth = new AbortController();
    const own = new Informers(client);
    const parts = { client, informers: own, clock: systemClock, log: silentLogger };
    const types = new LiveTypes(parts);
    const second = new LiveInventory({ ...parts, types });
    try {
      void types.start(stopBoth.signal);
      second.start(stopBoth.signal);

      await eventually(() => second.of(id)?.cache.watchState.phase === "degraded", within);
      const others = ["configmap", "secret", "pod", "apps.deployment"];
      await eventually(() => others.every((each) => second.of(each)?.synced), within);

      expect(second.of(id)?.synced).to.equal(false);
      expect(second.of(id)?.total.count).to.equal(0);
    } finally {
      stopBoth.abort();
      await own.dispose();
      await uninstall(client, broken);
    }
  });

  it("lets go of everything when it stops", async () => {
    const stopping = new AbortController();
    const own = new Informers(client);
    const parts = { client, informers: own, clock: systemClock, log: silentLogger };
    const types = new LiveTypes(parts);
    const second = new LiveInventory({ ...parts, types });
    const started = types.start(stopping.signal);
    second.start(stopping.signal);
    await eventually(() => [...second.all()].length > 5, within);

    stopping.abort();
    await started;

    expect([...second.all()]).to.deep.equal([]);
    await eventually(() => own.report().length === 0, within);
    await own.dispose();
  });
});

/** A webhook that nobody answers. */
const nowhere = {
  conversionReviewVersions: ["v1"],
  clientConfig: { url: "https://127.0.0.1:1/convert" },
};
