import { gzipSync } from "node:zlib";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import type { TestKind } from "../types/testing.test.support.ts";
import { StateBed, type Tree } from "./states/bed.test.support.ts";

const hour = 3_600_000;
const ago = (time: number): string => new Date(Date.now() - time).toISOString();
/** Some API fields have no fractions. */
const seconds = (date: string): string => date.replace(/\.\d+Z$/, "Z");
const within = { within: 20_000 };

/** What is written twice in base64 by Helm and the API. */
const release = { name: "r", version: 3 };
/** It is read on another thread. */
const large = { ...release, manifest: "x".repeat(2 * 1024 * 1024) };
/** As a ConfigMap has it. */
const packedOnce = (content: object): string =>
  gzipSync(JSON.stringify(content)).toString("base64");
/** As a Secret has it. */
const packed = (content: object): string => Buffer.from(packedOnce(content)).toString("base64");

/** Helm 2 packed other things than JSON. */
const tillers = Buffer.from("H4sI").toString("base64");

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "example.com/web:1" }] },
};
const aPod = { ...template, spec: { ...template.spec, automountServiceAccountToken: false } };
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
const workload = { selector: { matchLabels: { app: "web" } }, template };

const sold = "2025-01-02T03:04:05Z";
const token: TestKind = {
  ...{ group: "management.cattle.io", kind: "Token", plural: "tokens" },
  crd: "tokens.management.cattle.io",
};
const clash: TestKind = {
  ...{ group: "clash.example.com", kind: "Clash", plural: "clashes" },
  crd: "clashes.clash.example.com",
};
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** What people may do with ConfigMaps in the namespace of the test, and the links that they are shown. */
const people: Readonly<
  Record<string, { readonly verbs: readonly string[]; readonly links: readonly string[] }>
> = {
  lister: { verbs: ["list"], links: ["self"] },
  getter: { verbs: ["list", "get"], links: ["self", "view"] },
  updater: { verbs: ["list", "update"], links: ["self", "update"] },
  patcher: { verbs: ["list", "patch"], links: ["self", "patch"] },
  remover: { verbs: ["list", "delete"], links: ["self", "remove"] },
  maker: { verbs: ["list", "create"], links: ["self"] },
};

/** For a certificate, as `openssl req -new -subj /CN=jane` makes it. */
const request = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFt",
  "RnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkZuSDVLWnZqaUhSWWZDaVNvc2txTHF0NlVS",
  "UUlSMVBOTkNRYjloTCt6TTFWejZhQVVZdGFBRFJjQ3ZNCmF2MnFWeXpxYkhNeGR1Q2M4NmZaV0dKajdoaWdBREFL",
  "QmdncWhrak9QUVFEQWdOSEFEQkVBaUFqMGxLZTJnd0cKN3BNdUQrWVBBOUpmc0NxWDhvK2YvWFVuQ3BYeHh1Qndy",
  "Z0lnS251dmNjNEhKcTJFdm9qQ0lmd1g3M1N3cEVxLwpJTHNvbVZlMTJSVnVJTFE9Ci0tLS0tRU5EIENFUlRJRklD",
  "QVRFIFJFUVVFU1QtLS0tLQo=",
].join("");

const configMaps = { apiGroups: [""], resources: ["configmaps"] };
const owners = [
  { verbs: ["list"], apiGroups: ["apps"], resources: ["replicasets"] },
  { verbs: ["list"], apiGroups: ["batch"], resources: ["cronjobs"] },
];
const ofPods = { apiGroups: [""], resources: ["pods"] };

/** People who see workloads, and what they may do with Pods and Jobs. */
const onlookers: Readonly<Record<string, readonly object[]>> = {
  blind: owners,
  adder: [...owners, { ...ofPods, verbs: ["create", "watch"] }],
  one: [...owners, { ...ofPods, verbs: ["get"], resourceNames: ["second"] }],
  other: [...owners, { ...ofPods, verbs: ["get", "list"], resourceNames: ["another"] }],
};

describe("representation of objects, of a real API server", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let bed: StateBed;

  before(async () => {
    // Of its own, without controllers: they would write statuses of theirs.
    plane = await startControlPlane({ name: "representation", controllerManager: false });
    bed = await StateBed.start(plane);
    await bed.install(token, {});
    await bed.install(clash, {
      columns: [{ name: "Sold", type: "date", jsonPath: ".sold" }],
      properties: {
        id: { type: "string" },
        type: { type: "string" },
        sold: { type: "string", format: "date-time" },
        links: anything,
        actions: anything,
      },
    });
    await make("/api/v1", "serviceaccounts", "default"); // Pods need it
    await makePlain();
    await makeWorkloads();
    await makeAging();
    for (const [name, { verbs }] of Object.entries(people)) {
      await allow(name, [{ ...configMaps, verbs }]);
    }
    for (const [name, rules] of Object.entries(onlookers)) await allow(name, rules);
    await eventually(isAllowed, within);
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  function make(
    api: string,
    plural: string,
    name: string,
    object: Tree = {},
    status?: Tree,
  ): Promise<Tree> {
    const metadata = { ...((object.metadata as Tree) ?? {}), name };
    return bed.make(
      `${api}/namespaces/${bed.namespace}/${plural}`,
      { ...object, metadata },
      status,
    );
  }

  async function makePlain(): Promise<void> {
    const labels = { a: "1", "b.c/d": "2" };
    await make("/api/v1", "configmaps", "thing", {
      ...{ metadata: { labels }, data: { one: "a long text", two: "another text" } },
    });
    await make("/api/v1", "secrets", "typed", { type: "example.com/x" });
    for (const [name, content] of Object.entries({ release, large })) {
      await make("/api/v1", "secrets", name, {
        metadata: { labels: { owner: "helm" } },
        data: { release: packed(content), other: "eA==" },
      });
    }
    await make("/api/v1", "configmaps", "release", {
      metadata: { labels: { owner: "helm" } },
      data: { release: packedOnce(release), other: "x" },
    });
    for (const [plural, data] of Object.entries({ secrets: tillers, configmaps: "H4sI" })) {
      await make("/api/v1", plural, "tiller", {
        metadata: { labels: { OWNER: "TILLER" } },
        data: { release: data, other: "eA==" },
      });
    }
    await make("/apis/clash.example.com/v1", "clashes", "clash", {
      ...{ apiVersion: "clash.example.com/v1", kind: "Clash", id: "i", type: "t", sold },
      ...{ links: { l: "1" }, actions: { a: "1" } },
    });
    await make("/apis/management.cattle.io/v1", "tokens", "token", {
      ...{ apiVersion: "management.cattle.io/v1", kind: "Token" },
    });
    await bed.send("PATCH", `/api/v1/namespaces/${bed.namespace}`, {
      metadata: {
        labels: { note: "x" },
        annotations: { "field.cattle.io/projectId": "c:p", note: "x" },
      },
    });
  }

  async function makeWorkloads(): Promise<void> {
    const container = { name: "c", ready: true, image: "x", imageID: "", restartCount: 4 };
    const lastState = { terminated: { exitCode: 1, finishedAt: ago(3 * hour + 60_000) } };
    await make(...(["/api/v1", "pods", "restarted"] as const), aPod, {
      ...{
        phase: "Running",
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(hour) }],
      },
      containerStatuses: [{ ...container, lastState, state: { running: {} } }],
    });
    await make("/api/v1", "pods", "second", aPod);
    for (const plural of ["deployments", "daemonsets", "replicasets"]) {
      await make("/apis/apps/v1", plural, "web", { spec: workload });
    }
    await make("/apis/apps/v1", "statefulsets", "web", { spec: { ...workload, serviceName: "x" } });
    const batch = "/apis/batch/v1";
    const { selector } = workload;
    const spec = { manualSelector: true, selector, template: jobTemplate };
    await make(batch, "jobs", "runs", { spec }, { startTime: ago(90 * 60_000), active: 1 });
    const schedule = "0 0 1 1 *";
    const cron = await make(batch, "cronjobs", "cron", {
      spec: { schedule, jobTemplate: { spec: { template: jobTemplate } } },
    });
    const uid = textAt(cron, "metadata", "uid");
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "cron", uid, controller: true };
    const metadata = { ownerReferences: [owner] };
    await make(batch, "jobs", "of-cron", { metadata, spec: { template: jobTemplate } });
  }

  /** Objects of which nothing changes but how long ago it was. */
  async function makeAging(): Promise<void> {
    const service = { name: "x", port: { number: 80 } };
    await make("/apis/networking.k8s.io/v1", "ingresses", "web", {
      spec: { defaultBackend: { service } },
    });
    await make("/apis/autoscaling/v2", "horizontalpodautoscalers", "web", {
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      },
    });
    await make("/apis/discovery.k8s.io/v1", "endpointslices", "web", {
      ...{ addressType: "IPv4", endpoints: [] },
    });
    await make("/apis/apps/v1", "controllerrevisions", "web", { revision: 1, data: {} });
    await make("/api/v1", "events", "seen", {
      ...{ type: "Normal", reason: "Seen", message: "m", count: 2 },
      ...{ firstTimestamp: seconds(ago(60_000)), lastTimestamp: seconds(ago(30_000)) },
      involvedObject: { kind: "ConfigMap", namespace: bed.namespace, name: "thing" },
    });
    await bed.make("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
      metadata: { name: "web" },
      spec: { request, signerName: "example.com/signer", usages: ["client auth"] },
    });
  }

  async function allow(
    name: string,
    rules: readonly object[],
    namespace = bed.namespace,
  ): Promise<void> {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    const apiGroup = "rbac.authorization.k8s.io";
    await bed.make(`${path}/roles`, {
      metadata: { name },
      rules,
    });
    await bed.make(`${path}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup, kind: "Role", name },
      subjects: [{ apiGroup, kind: "User", name }],
    });
  }

  async function isAllowed(): Promise<boolean> {
    const maps = Object.keys(people).map((name) => bed.items(listOf("configmaps"), name));
    const sets = Object.keys(onlookers).map((name) => bed.items(listOf("apps.replicasets"), name));
    return (
      (await Promise.all(maps)).every((items) => items.has("thing")) &&
      (await Promise.all(sets)).every((items) => items.has("web"))
    );
  }

  /** Requests for certificates are in no namespace. */
  const listOf = (list: string): string =>
    list.startsWith("certificates.") ? list : `${list}/${bed.namespace}`;
  const itemOf = async (list: string, name: string, query = "", user?: string): Promise<Tree> => {
    const path = `${listOf(list)}?${query}`;
    await eventually(async () => (await bed.items(path, user)).has(name), within);
    return (await bed.items(path, user)).get(name) as Tree;
  };

  const cellsOf = async (list: string, name: string): Promise<readonly unknown[]> =>
    listAt(await itemOf(list, name), "metadata", "fields");

  it("begins with its own members", async () => {
    const { id, type, links, ...rest } = await itemOf("configmaps", "thing");

    expect({ id, type }).to.deep.equal({ id: `${bed.namespace}/thing`, type: "configmap" });
    expect(links).to.have.property("self");
    expect(rest).to.have.all.keys("apiVersion", "kind", "metadata", "data");
    expect(Object.keys(await itemOf("configmaps", "thing")).slice(0, 3)).to.deep.equal([
      ...["id", "type", "links"],
    ]);
  });

  it("renames what an object has under its names", async () => {
    expect(await itemOf("secrets", "typed")).to.include({ type: "secret", _type: "example.com/x" });
    expect(await itemOf("clash.example.com.clashes", "clash")).to.deep.include({
      ...{ type: "clash.example.com.clash", _type: "t", _id: "i" },
      ...{ _links: { l: "1" }, _actions: { a: "1" } },
    });
  });

  for (const [name, { verbs, links }] of Object.entries(people)) {
    it(`has the links ${links.join()} for who may ${verbs.join()}`, async () => {
      const item = await itemOf("configmaps", "thing", "", name);

      expect(item.links).to.have.all.keys(...links);
    });
  }

  it("has links to itself, and a view below /api", async () => {
    const { links } = await itemOf("configmaps", "thing");
    const paths = Object.entries(links as Tree).map(([key, url]) => [
      key,
      new URL(String(url)).pathname,
    ]);
    const self = `/v1/configmaps/${bed.namespace}/thing`;

    expect(Object.fromEntries(paths)).to.deep.equal({
      ...{ self, update: self, patch: self, remove: self },
      view: `/api/v1/namespaces/${bed.namespace}/configmaps/thing`,
    });
  });

  it("has links that are blocked", async () => {
    const { links } = await itemOf("management.cattle.io.tokens", "token");

    expect(links).to.include({
      update: "blocked",
      patch: "blocked",
      remove: "blocked",
      view: "blocked",
    });
  });

  it("names where to create for who may", async () => {
    const created = async (user: string) =>
      (await bed.collection(listOf("configmaps"), user)).createTypes;

    expect(textAt(await created("maker"), "configmap")).to.match(/\/v1\/configmaps$/);
    expect(await created("lister")).to.equal(undefined);
  });

  const shapes: readonly (readonly [title: string, query: string, expected: Tree])[] = [
    ["include", "include=data.one", { data: { one: "a long text" } }],
    ["exclude", "include=data&exclude=data.one", { data: { two: "another text" } }],
    ["excludeValues", "include=data&excludeValues=data", { data: { one: "", two: "" } }],
    [
      "their order",
      "excludeValues=data&exclude=data.two&include=data&include=kind",
      { kind: "ConfigMap", data: { one: "" } },
    ],
    [
      "a key with dots",
      "include=metadata.labels[b.c/d]",
      { metadata: { labels: { "b.c/d": "2" } } },
    ],
    ["truncate", "include=data.one&truncate=3", { data: { one: "a l" } }],
  ];
  for (const [title, query, expected] of shapes) {
    it(`comes in another shape: ${title}`, async () => {
      const path = `${listOf("configmaps")}?filter=metadata.name=thing&${query}`;
      const [item] = listAt(await bed.collection(path), "data");
      const { id, type, links, ...rest } = item as Tree;

      expect(rest).to.deep.equal(expected);
      expect({ id, type }).to.deep.equal({ id: `${bed.namespace}/thing`, type: "configmap" });
      expect(links).to.be.an("object");
    });
  }

  it("tells what its reader may do in the namespace that it stands for, by checkPermissions", async () => {
    const stands = `${bed.namespace}-thing`;
    await bed.make("/api/v1/namespaces", { metadata: { name: stands } });
    await allow("getter", [{ ...configMaps, verbs: ["list", "get"] }], stands);
    const permissions = async () =>
      (await itemOf("configmaps", "thing", "checkPermissions=configmaps,pods", "getter"))
        .resourcePermissions as Tree;
    await eventually(async () => "configmaps" in (await permissions()), within);

    expect(Object.keys(await permissions())).to.deep.equal(["configmaps"]);
    expect((await permissions()).configmaps).to.have.all.keys("get", "list");
  });

  it("leaves out releases of Helm, or reads them", async () => {
    expect((await itemOf("secrets", "release")).data).to.deep.equal({ other: "eA==" });
    for (const [name, content] of Object.entries({ release, large })) {
      const { data } = await itemOf("secrets", name, "includeHelmData=true");
      expect(data).to.deep.equal({ release: content, other: "eA==" });
    }
  });

  it("leaves out releases in ConfigMaps, or reads them", async () => {
    expect((await itemOf("configmaps", "release")).data).to.deep.equal({ other: "x" });
    expect((await itemOf("configmaps", "release", "includeHelmData=true")).data).to.deep.equal({
      ...{ release, other: "x" },
    });
  });

  for (const [list, packedRelease] of Object.entries({ secrets: tillers, configmaps: "H4sI" })) {
    it(`leaves out releases of Tiller in ${list}, or shows them as they are`, async () => {
      expect((await itemOf(list, "tiller")).data).to.deep.equal({ other: "eA==" });
      expect((await itemOf(list, "tiller", "includeHelmData=true")).data).to.deep.equal({
        ...{ release: packedRelease, other: "eA==" },
      });
    });
  }

  it("tells little of a namespace that the reader may not get", async () => {
    const item = (await bed.items("namespaces", "lister")).get(bed.namespace) as Tree;
    const { labels = {}, annotations, ...metadata } = item.metadata as Tree;

    expect(labels).to.deep.equal({});
    expect(annotations).to.deep.equal({ "field.cattle.io/projectId": "c:p" });
    expect(metadata).to.have.all.keys("name", "resourceVersion");
    expect(item.status).to.deep.equal({ phase: "Active" });
  });

  it("has cells with ages, durations and restarts", async () => {
    expect((await cellsOf("pods", "restarted"))[3]).to.match(/^4 \(3h\d*m? ago\)$/);
    expect((await cellsOf("batch.jobs", "runs"))[3]).to.match(/^9\dm$/);
    expect((await cellsOf("configmaps", "thing"))[2]).to.match(/^\d+m?\d*s$/);
  });

  // ConfigMaps, and all those whose versions Steve's table of dates does not name.
  for (const [list, name, column, which = "Age"] of [
    ["configmaps", "thing", 2],
    ["batch.cronjobs", "cron", 6],
    ["networking.k8s.io.ingresses", "web", 5],
    ["rbac.authorization.k8s.io.rolebindings", "lister", 2],
    ["autoscaling.horizontalpodautoscalers", "web", 6],
    ["discovery.k8s.io.endpointslices", "web", 4],
    ["certificates.k8s.io.certificatesigningrequests", "web", 1],
    ["apps.controllerrevisions", "web", 3],
    ["events", "seen", 0, "Last Seen"],
    ["events", "seen", 7, "First Seen"],
  ] as const) {
    it(`grows older without a change: ${which} of ${list}`, async () => {
      const age = async () => (await cellsOf(list, name))[column];
      const before = await age();

      expect(before)
        .to.match(/^(\d+m)?(\d+s)?$/)
        .and.not.equal("");
      await eventually(async () => (await age()) !== before, within);
    });
  }

  it("has the dates of custom resources as they are", async () => {
    expect(await cellsOf("clash.example.com.clashes", "clash")).to.deep.equal(["clash", sold]);
  });

  it("has flags on conditions, and the time of their last update", async () => {
    const [condition] = listAt(await itemOf("pods", "restarted"), "status", "conditions");

    expect(condition).to.include({ type: "Ready", error: false, transitioning: false });
    expect(at(condition, "lastUpdateTime")).to.equal(at(condition, "lastTransitionTime"));
  });

  for (const [list, name, kind, ...children] of [
    ["apps.deployments", "web", "Pod", "restarted", "second"],
    ["apps.daemonsets", "web", "Pod", "restarted", "second"],
    ["apps.replicasets", "web", "Pod", "restarted", "second"],
    ["apps.statefulsets", "web", "Pod", "restarted", "second"],
    ["batch.jobs", "runs", "Pod", "restarted", "second"],
    ["batch.cronjobs", "cron", "Job", "of-cron"],
  ] as const) {
    it(`tells the ${kind}s of ${list} when asked`, async () => {
      const query = "includeAssociatedData=true";
      const associated = async () =>
        listAt(await itemOf(list, name, query), "metadata", "associatedData");
      await eventually(async () => (await associated()).length > 0, within);
      const [told] = await associated();

      expect(at(told, "gvk", "kind")).to.equal(kind);
      expect(listAt(told, "data").map((each) => textAt(each, "childName"))).to.deep.equal(children);
      expect(await itemOf(list, name)).not.to.have.nested.property("metadata.associatedData");
    });
  }

  for (const [user, list, name, ...children] of [
    ["blind", "apps.replicasets", "web"],
    ["blind", "batch.cronjobs", "cron"],
    ["adder", "apps.replicasets", "web"],
    ["one", "apps.replicasets", "web", "second"],
    ["other", "apps.replicasets", "web"],
  ] as const) {
    const told = children.length === 0 ? "no child" : children.join();
    it(`tells ${user}, when asked, ${told} of ${list}`, async () => {
      const item = await itemOf(list, name, "includeAssociatedData=true", user);
      const data = listAt(item, "metadata", "associatedData").flatMap((each) =>
        listAt(each, "data"),
      );

      expect(data.map((each) => textAt(each, "childName"))).to.deep.equal(children);
    });
  }
});
