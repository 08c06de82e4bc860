import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import { LiveInventory } from "../inventory/index.ts";
import { at, listAt, textAt } from "../tree.ts";
import { LiveTypes } from "../types/index.ts";
import { send } from "../types/testing.test.support.ts";
import type { ItemContext } from "./item.ts";
import { CachedItems } from "./items.ts";
import { parseShape } from "./shape.ts";
import { accessOf, collectionOf, read, type Sent } from "./testing.test.support.ts";

const within = { within: 30_000 };

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

  /** The item of an object once the cache has it; what is not said is everything, as it is. */
  async function itemOf(
    typeId: string,
    key: string,
    more: Partial<ItemContext> = {},
  ): Promise<Sent> {
    const type = types.find(typeId);
    if (type === undefined) throw new Error(`no type ${typeId}`);
    using share = informers.acquire(type.kind);
    await share.whenSynced();
    await eventually(() => share.cache.has(key), within);
    const collection = collectionOf(type, share.cache, stop.signal);
    const shape = parseShape(new URLSearchParams());
    const asked = { type, access: everything, base: "https://host", shape, now: systemClock.now() };
    return read(items.writer({ ...asked, ...more }).ofKey(collection, key));
  }

  /** A Pod that uses a ConfigMap and a Secret, and the names of all. */
  async function aPod(
    namespace: string,
  ): Promise<{ readonly pod: string; readonly map: string; readonly secret: string }> {
    const [pod, map, secret] = [uniqueName("pod"), uniqueName("map"), uniqueName("secret")];
    await made(path(namespace, "configmaps"), { metadata: { name: map } });
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
      metadata: { name: pod },
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
