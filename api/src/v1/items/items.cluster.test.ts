import { constants, inflateRawSync } from "node:zlib";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually, seededRandom } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import type { Collection } from "../collections/collection.ts";
import { LiveInventory } from "../inventory/index.ts";
import type { Deflated } from "../pieces/gzip.ts";
import { at, listAt, textAt } from "../tree.ts";
import { LiveTypes } from "../types/index.ts";
import { send } from "../types/testing.test.support.ts";
import { type ItemContext, isPacked } from "./item.ts";
import { CachedItems } from "./items.ts";
import { asFirst } from "./packed.ts";
import { parseShape } from "./shape.ts";
import { accessOf, collectionOf, read, type Sent } from "./testing.test.support.ts";

const within = { within: 30_000 };
const created = ["metadata", "creationTimestamp"] as const;
const phases = ["Running", "Failed", "Succeeded"] as const;
const bases = ["https://host", "https://host", "https://other"] as const;

/** An object, and how it is asked for. */
type Asked = readonly [
  collection: Collection,
  key: string,
  context: Pick<ItemContext, "access" | "base" | "shape" | "now">,
];

function inflated({ blocks }: Deflated): string {
  return String(inflateRawSync(Buffer.concat(blocks), { finishFlush: constants.Z_SYNC_FLUSH }));
}

describe("items of a cluster", function () {
  this.timeout(90_000);

  const stop = new AbortController();
  let plane: ControlPlane;
  let client: Client;
  let informers: Informers;
  let types: LiveTypes;
  let inventory: LiveInventory;
  let items: CachedItems;

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    informers = new Informers(client, { managedFields: "cold" });
    const parts = { client, informers, clock: systemClock, log: silentLogger };
    types = new LiveTypes(parts);
    void types.start(stop.signal);
    inventory = new LiveInventory({ ...parts, types });
    inventory.start(stop.signal);
    items = new CachedItems({ types, inventory });
    await types.ready(stop.signal);
  });
  after(async () => {
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  const path = (namespace: string, plural: string): string =>
    `/api/v1/namespaces/${namespace}/${plural}`;

  async function made(at: string, object: object): Promise<Sent> {
    const sent = await send(client, "POST", at, object);
    expect(textAt(sent, "status"), JSON.stringify(sent)).not.to.equal("Failure");
    return sent as Sent;
  }

  /** The objects of a type once one of them is there, until disposed. */
  async function collected(typeId: string, key: string): Promise<Collection> {
    const type = types.find(typeId);
    if (type === undefined) throw new Error(`no type ${typeId}`);
    const share = informers.acquire(type.kind);
    await share.whenSynced();
    await eventually(() => share.cache.has(key), within);
    return {
      ...collectionOf(type, share.cache, stop.signal),
      [Symbol.dispose]: () => share[Symbol.dispose](),
    };
  }

  /** The item of an object once the cache has it; what is not said is everything, as it is. */
  async function itemOf(
    typeId: string,
    key: string,
    more: Partial<ItemContext> = {},
  ): Promise<Sent> {
    using collection = await collected(typeId, key);
    const { type } = collection;
    const shape = parseShape(new URLSearchParams());
    const asked = { type, access: everything, base: "https://host", shape, now: systemClock.now() };
    return read(items.writer({ ...asked, ...more }).ofKey(collection, key));
  }

  /** What others see of the Pod is another state from now on. */
  async function enters(phase: string, namespace: string, pod: string): Promise<void> {
    await send(client, "PATCH", `${path(namespace, "pods")}/${pod}/status`, { status: { phase } });
    const isSeen = () => inventory.standingOf("pod", namespace, pod)?.state === phase.toLowerCase();
    await eventually(isSeen, within);
  }

  /** An item as bytes and deflated, which must be the same, whatever is asked for first. */
  function bothOf(
    writers: CachedItems,
    [collection, key, context]: Asked,
    packedFirst: boolean,
  ): { readonly text: string; readonly isPacked: boolean } {
    const writer = writers.writer({ type: collection.type, ...context });
    const inBytes = (): string => Buffer.concat(writer.ofKey(collection, key) ?? []).toString();
    const before = packedFirst ? undefined : inBytes();
    const item = writer.packedOfKey(collection, key) ?? [];
    const text = before ?? inBytes();
    const unpacked = isPacked(item) ? inflated(asFirst(item)) : Buffer.concat(item).toString();
    expect(unpacked).to.equal(text);
    return { text, isPacked: isPacked(item) };
  }

  /** A Pod that uses a ConfigMap and a Secret, and the names of all; Pod and ConfigMap hold the texts. */
  async function aPod(
    namespace: string,
    texts: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly pod: string; readonly map: string; readonly secret: string }> {
    const [pod, map, secret] = [uniqueName("pod"), uniqueName("map"), uniqueName("secret")];
    await made(path(namespace, "configmaps"), { metadata: { name: map }, data: texts });
    await made(path(namespace, "secrets"), { metadata: { name: secret } });
    await eventually(async () => {
      const found = await send(client, "GET", `${path(namespace, "serviceaccounts")}/default`);
      return textAt(found, "kind") === "ServiceAccount";
    }, within);
    const volumes = [
      { name: "a", configMap: { name: map } },
      { name: "b", secret: { secretName: secret } },
    ];
    const containers = [{ name: "c", image: "example.com/web:1" }];
    const automountServiceAccountToken = false;
    await made(path(namespace, "pods"), {
      metadata: { name: pod, annotations: texts },
      spec: { volumes, containers, automountServiceAccountToken },
    });
    return { pod, map, secret };
  }

  it("are the objects that the API server has, with what /v1 adds", async () => {
    const namespace = await freshNamespace(plane);
    const { pod } = await aPod(namespace);
    const sent = await send(client, "GET", `${path(namespace, "pods")}/${pod}`);

    const item = await itemOf("pod", `${namespace}/${pod}`);
    const { id, type, links, metadata, status, ...rest } = item;
    const { fields, relationships, state, ...own } = metadata as Sent;
    const { metadata: sentMetadata, status: sentStatus, ...sentRest } = sent as Sent;

    expect({ id, type }).to.deep.equal({ id: `${namespace}/${pod}`, type: "pod" });
    expect(own).to.deep.equal(sentMetadata);
    expect(rest).to.deep.equal(sentRest);
    expect(Object.keys(status as Sent)).to.deep.equal(Object.keys(sentStatus as Sent));
    expect(links).to.have.all.keys("self", "update", "remove", "patch", "view");
    expect(state).to.include({ name: "pending", error: false });
    expect(fields).to.be.an("array");
    expect(relationships).to.be.an("array");
  });

  it("have the cells of the API server's table", async () => {
    const namespace = await freshNamespace(plane);
    const { pod, map, secret } = await aPod(namespace);
    const headers = { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    for (const [typeId, plural, name] of [
      ["pod", "pods", pod],
      ["configmap", "configmaps", map],
      ["secret", "secrets", secret],
    ] as const) {
      const same = await eventually(async () => {
        const answer = await client.request({
          method: "GET",
          path: `${path(namespace, plural)}/${name}`,
          headers,
        });
        const cells = listAt(listAt(JSON.parse(String(answer.body)), "rows")[0], "cells");
        const fields = listAt(await itemOf(typeId, `${namespace}/${name}`), "metadata", "fields");
        return JSON.stringify(fields) === JSON.stringify(cells) ? cells : undefined;
      }, within); // both sides count seconds

      expect(same[0]).to.equal(name);
    }
  });

  it("know the state of what they have to do with, and who has to do with them", async () => {
    const namespace = await freshNamespace(plane);
    const { pod, map, secret } = await aPod(namespace);
    const uses = (kind: string, name: string, message = "Resource is always ready") => ({
      toId: `${namespace}/${name}`,
      toType: kind,
      rel: "uses",
      ...{ state: "active", message },
    });
    const relationsOf = async (typeId: string, name: string) =>
      listAt(await itemOf(typeId, `${namespace}/${name}`), "metadata", "relationships");

    await eventually(async () => (await relationsOf("configmap", map)).length === 1, within);
    expect(await relationsOf("configmap", map)).to.deep.equal([
      { fromId: `${namespace}/${pod}`, fromType: "pod", rel: "uses", state: "pending" },
    ]);
    await eventually(async () => {
      const all = await relationsOf("pod", pod);
      return all.every((each) => textAt(each, "state") !== "");
    }, within);
    expect(await relationsOf("pod", pod)).to.deep.equal([
      ...[uses("configmap", map), uses("secret", secret)],
      uses("serviceaccount", "default", "Resource is current"),
    ]);
  });

  it("tell nobody of objects that he may not read", async () => {
    const namespace = await freshNamespace(plane);
    const { pod, map, secret } = await aPod(namespace);
    await eventually(() => inventory.inbound("configmap", namespace, map).length === 1, within);
    await eventually(() => inventory.standingOf("configmap", namespace, map), within);
    await eventually(() => inventory.standingOf("secret", namespace, secret), within);
    const access = accessOf({ [namespace]: [`get configmaps/${map}`, "list pods"] });
    const onlyMaps = accessOf({ [namespace]: ["list configmaps"] });
    const statesOf = async (typeId: string, name: string, rights: typeof access) => {
      const item = await itemOf(typeId, `${namespace}/${name}`, { access: rights });
      return listAt(item, "metadata", "relationships").map((each) => at(each, "state"));
    };

    expect(await statesOf("pod", pod, access)).to.deep.equal(["active", undefined, undefined]);
    expect(await statesOf("configmap", map, access)).to.deep.equal(["pending"]);
    expect(await statesOf("configmap", map, onlyMaps)).to.deep.equal([]);
  });

  for (const seed of [1, 2]) {
    it(`are to each what they are alone, whoever asked before (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const namespace = await freshNamespace(plane);
      const large = { note: "x".repeat(6000) }; // else it is not kept deflated
      const pods = [await aPod(namespace, large), await aPod(namespace, large)];
      const [{ pod, map, secret } = { pod: "", map: "", secret: "" }, other] = pods;
      await eventually(() => inventory.inbound("configmap", namespace, map).length === 1, within);
      await eventually(() => inventory.standingOf("secret", namespace, secret), within);
      const callers = [
        everything,
        accessOf({ [namespace]: ["list pods"] }),
        accessOf({ [namespace]: ["list pods", "get services"] }), // sees the same
        accessOf({ "": ["list pods"], [namespace]: ["list configmaps"] }),
        accessOf({ [namespace]: ["list pods", `get configmaps/${map}`, `get secrets/${secret}`] }),
        accessOf({ [namespace]: ["list pods", `update,delete pods/${pod}`] }),
        accessOf({ [namespace]: ["list,patch pods"], "": ["get namespaces"] }),
        accessOf({ "": [`get,list namespaces/${namespace}`, "list pods"] }),
      ] as const;
      using ofPods = await collected("pod", `${namespace}/${other?.pod}`);
      using ofMaps = await collected("configmap", `${namespace}/${map}`);
      using ofNamespaces = await collected("namespace", namespace);
      const asked = [
        [ofPods, `${namespace}/${pod}`],
        [ofPods, `${namespace}/${other?.pod}`],
        [ofMaps, `${namespace}/${map}`],
        [ofNamespaces, namespace],
      ] as const;
      const shapes = [
        ...(["", "", "exclude=metadata.managedFields", "exclude=spec"] as const),
        "checkPermissions=pods,secrets,configmaps",
      ] as const;
      const made = Date.parse(textAt(ofPods.cache.get(`${namespace}/${pod}`), ...created));
      const texts = new Set<string>();
      const packed: string[] = [];
      const isSame = (one: Asked): void => {
        const alone = bothOf(new CachedItems({ types, inventory }), one, false);
        const written = bothOf(items, one, random.chance(0.5));

        expect(written.text).to.equal(alone.text);
        if (written.isPacked) packed.push(one[1]);
        if (one[1] === `${namespace}/${other?.pod}`) texts.add(written.text);
      };
      const all: Asked[] = [];
      for (const phase of phases) {
        for (let turn = 0; turn < 100; turn++) {
          const context = {
            ...{ access: random.pick(callers), base: random.pick(bases) },
            now: made + random.below(100) * 1000,
            shape: parseShape(new URLSearchParams(random.pick(shapes))),
          };
          const next = [...random.pick(asked), context] as const;
          isSame(next);
          all.push(next);
        }
        await enters(phase, namespace, pod);
        for (const again of all.toReversed()) isSame(again); // first what was told last
      }
      expect(packed.length).to.be.greaterThan(50);
      expect(packed).to.include(`${namespace}/${map}`); // which tells of the Pod's states
      expect(texts.size).to.be.greaterThan(30); // ages, links and states differ
    });
  }

  it("tell the Jobs of a CronJob by their names", async () => {
    const namespace = await freshNamespace(plane);
    const [cronJob, job] = [uniqueName("cron"), uniqueName("job")];
    const containers = [{ name: "c", image: "example.com/web:1" }];
    const spec = {
      ...{ suspend: true, parallelism: 0 },
      template: { spec: { containers, restartPolicy: "Never" } },
    };
    const batch = `/apis/batch/v1/namespaces/${namespace}`;
    const owner = await made(`${batch}/cronjobs`, {
      metadata: { name: cronJob },
      spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec } },
    });
    const uid = textAt(owner, "metadata", "uid");
    const reference = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: cronJob,
      uid,
      controller: true,
    };
    await made(`${batch}/jobs`, { metadata: { name: job, ownerReferences: [reference] }, spec });
    const jobs = types.find("batch.job");
    if (jobs === undefined) throw new Error("no jobs");
    using share = informers.acquire(jobs.kind);
    await share.whenSynced(); // the inventory has them without bytes
    await eventually(() => share.cache.has(`${namespace}/${job}`), within);
    await eventually(
      () => inventory.inbound("batch.cronjob", namespace, cronJob).length > 0,
      within,
    );

    const associated = collectionOf(jobs, share.cache);
    const shape = parseShape(new URLSearchParams("includeAssociatedData=true"));
    const item = await itemOf("batch.cronjob", `${namespace}/${cronJob}`, { associated, shape });
    const [told, ...others] = listAt(item, "metadata", "associatedData");

    expect(others).to.deep.equal([]);
    expect(at(told, "gvk")).to.deep.equal({ group: "batch", version: "v1", kind: "Job" });
    expect(listAt(told, "data").map((each) => at(each, "childName"))).to.deep.equal([job]);
    expect(listAt(told, "data").map((each) => at(each, "state", "error"))).to.deep.equal(["false"]);
  });

  it("show that another object has changed though they have not", async () => {
    const namespace = await freshNamespace(plane);
    const { pod, map } = await aPod(namespace);
    const relationsNow = async () =>
      listAt(await itemOf("configmap", `${namespace}/${map}`), "metadata", "relationships");
    await eventually(async () => (await relationsNow()).length === 1, within);

    const status = { status: { phase: "Running" } };
    await send(client, "PATCH", `${path(namespace, "pods")}/${pod}/status`, status);

    await eventually(async () => textAt((await relationsNow())[0], "state") === "running", within);
    await send(client, "DELETE", `${path(namespace, "pods")}/${pod}?gracePeriodSeconds=0`);
    await eventually(async () => (await relationsNow()).length === 0, within);
  });
});
