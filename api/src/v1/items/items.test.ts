import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { GzipBody } from "../pieces/gzip.ts";
import { at } from "../tree.ts";
import { associatedType, CachedItems, parseShape } from "./index.ts";
import {
  aContext,
  accessOf,
  allTypes,
  aType,
  clusters,
  configMaps,
  deployments,
  itemOf,
  namespaces,
  noon,
  pods,
  projects,
  read,
  type Sent,
  ServedCache,
  secrets,
  services,
  settings,
} from "./testing.test.support.ts";

const shape = (query: string) => ({ shape: parseShape(new URLSearchParams(query)) });

const metadata = {
  ...{ name: "thing", namespace: "ns", uid: "u", resourceVersion: "7" },
  ...{ creationTimestamp: "2026-11-21T11:00:00Z" },
};
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1", b: "2" } };
const managedFields = [{ manager: "m", operation: "Update", fieldsV1: { "f:data": {} } }];
const pod = {
  ...{ apiVersion: "v1", kind: "Pod", metadata },
  spec: { containers: [{ name: "c", image: "i" }] },
  status: {
    ...{ phase: "Running", startTime: "2026-11-21T11:00:00Z" },
    containerStatuses: [
      {
        name: "c",
        ready: false,
        restartCount: 3,
        state: { waiting: { reason: "CrashLoopBackOff" } },
      },
    ],
  },
};

const bytesOf = (object: unknown): Buffer => Buffer.from(JSON.stringify(object));

describe("an item", () => {
  it("is the object with what /v1 adds", () => {
    const url = "https://host/v1/configmaps/ns/thing";

    expect(itemOf(configMap, configMaps)).to.deep.equal({
      ...{ id: "ns/thing", type: "configmap" },
      links: {
        ...{ self: url, update: url, remove: url, patch: url },
        view: "https://host/api/v1/namespaces/ns/configmaps/thing",
      },
      ...configMap,
      metadata: {
        ...metadata,
        fields: ["thing", 2, "60m"],
        relationships: null,
        state: {
          ...{ error: false, message: "Resource is always ready", name: "active" },
          transitioning: false,
        },
      },
    });
  });

  it("begins with its own members, then has the object's in their order", () => {
    expect(Object.keys(itemOf(configMap, configMaps))).to.deep.equal([
      ...["id", "type", "links", "apiVersion", "kind", "metadata", "data"],
    ]);
  });

  it("renames what would be taken for its own, and what it hid before", () => {
    const renamed = itemOf(
      { ...configMap, id: 1, type: "Opaque", links: [], actions: {}, _type: "hidden", _other: 1 },
      secrets,
    );

    expect(renamed).to.deep.include({ id: "ns/thing", type: "secret", _id: 1, _links: [] });
    expect(renamed).to.deep.include({ _type: "Opaque", _actions: {}, _other: 1 });
    expect(renamed).not.to.have.property("actions");
  });

  it("says what it is where a list of the server did not", () => {
    const { apiVersion: _, kind: __, ...bare } = configMap;

    expect(itemOf(bare, configMaps)).to.include({ apiVersion: "v1", kind: "ConfigMap" });
    expect(itemOf(bare, configMaps, shape("include=kind"))).to.include({ kind: "ConfigMap" });
  });

  it("keeps numbers that JavaScript cannot hold, in any shape", () => {
    const text = JSON.stringify(configMap).replace(
      '"data":{',
      '"big":12345678901234567890,"data":{',
    );
    for (const query of ["", "exclude=data.a", "truncate=5"]) {
      const writer = new CachedItems({ types: allTypes }).writer(
        aContext(configMaps, shape(query)),
      );

      expect(String(Buffer.concat(writer.ofObject(Buffer.from(text))))).to.contain(
        '"big":12345678901234567890',
      );
    }
  });

  it("shows objects nested deeper than JavaScript can write, whole", () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const text = JSON.stringify(configMap).replace('"1"', deep);
    const context = aContext(configMaps, shape("exclude=data.b"));
    const writer = new CachedItems({ types: allTypes }).writer(context);

    expect(String(Buffer.concat(writer.ofObject(Buffer.from(text))))).to.contain(`${deep},"b"`);
  });

  for (const { title, fields, expected } of [
    { title: "those that it can compute", fields: undefined, expected: ["thing", 2, "60m"] },
    {
      title: "those that the server told",
      fields: ["thing", 9, "1h"],
      expected: ["thing", 9, "1h"],
    },
    { title: "none for writes", fields: "none" as const, expected: undefined },
  ]) {
    it(`has as fields ${title}`, () => {
      const writer = new CachedItems({ types: allTypes }).writer(aContext(configMaps));
      const item = read(writer.ofObject(bytesOf(configMap), fields));

      expect(at(item, "metadata", "fields")).to.deep.equal(expected);
    });
  }

  it("has no fields where only the server can make them", () => {
    const item = itemOf(configMap, aType({ group: "x.io", kind: "X", plural: "xs" }));

    expect(item.metadata).not.to.have.property("fields");
  });

  it("has the state of a kind whose schema has an observed generation", () => {
    const thing = {
      apiVersion: "x.io/v1",
      kind: "X",
      metadata: { ...metadata, generation: 2 },
      status: {},
    };
    const stateOf = (observesGeneration: boolean): unknown =>
      at(
        itemOf(thing, aType({ group: "x.io", kind: "X", plural: "xs" }, { observesGeneration })),
        "metadata",
        "state",
        "name",
      );

    expect(stateOf(false)).to.equal("active");
    expect(["active", "in-progress"]).to.include(stateOf(true));
  });
});

describe("the conditions of an item", () => {
  const when = "2026-11-21T10:00:00Z";
  const conditionsOf = (...conditions: readonly unknown[]): unknown =>
    at(
      itemOf(
        { apiVersion: "x.io/v1", kind: "X", metadata, status: { conditions } },
        aType({ group: "x.io", kind: "X", plural: "xs" }),
      ),
      "status",
      "conditions",
    );

  for (const { title, condition, expected } of [
    {
      title: "get flags and the time of their last update",
      condition: { type: "Ready", status: "True", lastTransitionTime: when },
      expected: { error: false, transitioning: false, lastUpdateTime: when },
    },
    {
      title: "keep the time of their last update",
      condition: {
        type: "Ready",
        status: "True",
        lastUpdateTime: "2025-01-01T00:00:00Z",
        lastTransitionTime: when,
      },
      expected: { error: false, transitioning: false },
    },
    {
      title: "have an empty time where there is none",
      condition: { type: "Ready", status: "True" },
      expected: { error: false, transitioning: false, lastUpdateTime: "" },
    },
    {
      title: "have a time instead of null",
      condition: { type: "Ready", status: "True", lastUpdateTime: null, lastTransitionTime: when },
      expected: { error: false, transitioning: false, lastUpdateTime: when },
    },
    {
      title: "have flags of ours instead of others",
      condition: { type: "Stalled", status: "True", error: "x", transitioning: 1 },
      expected: { error: true, transitioning: false, lastUpdateTime: "" },
    },
    {
      title: "tell what goes on",
      condition: { type: "Reconciling", status: "True", lastTransitionTime: when },
      expected: { error: false, transitioning: true, lastUpdateTime: when },
    },
  ]) {
    it(title, () => {
      const text = JSON.stringify(conditionsOf(condition));

      expect(conditionsOf(condition)).to.deep.equal([{ ...condition, ...expected }]);
      expect(text.match(/lastUpdateTime/g)).to.have.length(1);
    });
  }

  it("may be anything", () => {
    expect(conditionsOf(7, null, ["a"], "b")).to.deep.equal([7, null, ["a"], "b"]);
  });
});

describe("the state of a Pod", () => {
  const stateOf = (query: string, fields?: "none"): unknown => {
    const writer = new CachedItems({ types: allTypes }).writer(aContext(pods, shape(query)));
    return at(read(writer.ofObject(bytesOf(pod), fields)), "metadata", "state", "name");
  };

  for (const { title, query, fields, expected } of [
    { title: "is its STATUS", query: "", fields: undefined, expected: "crashLoopBackOff" },
    {
      title: "is its phase in answers of writes",
      query: "",
      fields: "none" as const,
      expected: "running",
    },
    {
      title: "is its phase without fields",
      query: "exclude=metadata.fields",
      fields: undefined,
      expected: "running",
    },
    {
      title: "is its phase where it alone is included",
      query: "include=metadata.state",
      fields: undefined,
      expected: "running",
    },
    {
      title: "is its STATUS where both are included",
      query: "include=metadata.state&include=metadata.fields",
      fields: undefined,
      expected: "crashLoopBackOff",
    },
    {
      title: "comes back with the fields",
      query: "exclude=metadata.state",
      fields: undefined,
      expected: "crashLoopBackOff",
    },
    {
      title: "is not there where nothing is",
      query: "include=spec",
      fields: undefined,
      expected: undefined,
    },
  ]) {
    it(title, () => {
      expect(stateOf(query, fields)).to.equal(expected);
    });
  }
});

describe("items of some types", () => {
  const setting = {
    apiVersion: "management.cattle.io/v3",
    kind: "Setting",
    metadata: { name: "server-url" },
    default: "d",
    value: "",
  };

  for (const { title, object, value, isFixed } of [
    { title: "has its default", object: setting, value: "d", isFixed: false },
    { title: "has its value", object: { ...setting, value: "v" }, value: "v", isFixed: false },
    {
      title: "may lack both",
      object: { ...setting, default: undefined },
      value: "",
      isFixed: false,
    },
    {
      title: "cannot be changed when the environment says it",
      object: { ...setting, value: "v", source: "env" },
      value: "v",
      isFixed: true,
    },
    {
      title: "cannot be changed when it is cacerts",
      object: { ...setting, metadata: { name: "cacerts" } },
      value: "d",
      isFixed: true,
    },
  ]) {
    it(`shows that a setting ${title}`, () => {
      const item = itemOf(object, settings);

      expect(item.value).to.equal(value);
      expect(Object.hasOwn(item.links ?? {}, "update")).to.equal(!isFixed);
      expect(itemOf(object, settings, shape("exclude=value")).value).to.equal(object.default ?? "");
    });
  }

  const namespace = {
    ...{ apiVersion: "v1", kind: "Namespace" },
    metadata: {
      ...{ name: "ns", resourceVersion: "7", uid: "u", managedFields },
      labels: { "fleet.cattle.io/managed": "true", secret: "x" },
      annotations: {
        "field.cattle.io/projectId": "c:p",
        "management.cattle.io/system-namespace": "true",
        note: "x",
      },
    },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active", conditions: [] },
  };

  it("tell little of a namespace that the caller may not get", () => {
    const access = accessOf({ ns: ["list pods"] });

    for (const query of [
      "",
      "exclude=metadata.managedFields",
      "include=metadata.uid&checkPermissions=pod",
    ]) {
      expect(itemOf(namespace, namespaces, { access, ...shape(query) })).to.deep.equal({
        ...{ id: "ns", type: "namespace", links: { self: "https://host/v1/namespaces/ns" } },
        ...{ apiVersion: "v1", kind: "Namespace" },
        metadata: {
          ...{ name: "ns", resourceVersion: "7" },
          labels: { "fleet.cattle.io/managed": "true" },
          annotations: {
            "field.cattle.io/projectId": "c:p",
            "management.cattle.io/system-namespace": "true",
          },
        },
        ...{ spec: {}, status: { phase: "Active" } },
      });
    }
  });

  it("tell all of a namespace that the caller may get", () => {
    for (const held of [{ "": ["get namespaces"] }, { "": ["get namespaces/ns"] }]) {
      const item = itemOf(namespace, namespaces, { access: accessOf(held) });

      expect(item).to.deep.include({ spec: namespace.spec });
      expect(at(item, "metadata", "labels", "secret")).to.equal("x");
    }
  });

  it("show a cluster in lists with what it is sorted by, and as it is in gets", () => {
    const cluster = {
      ...{ apiVersion: "management.cattle.io/v3", kind: "Cluster", metadata: { name: "c" } },
      status: {
        conditions: [{ type: "Ready", status: "True", lastUpdateTime: "2026-01-01T00:00:00Z" }],
        requested: { cpu: "1500m", memory: "1Gi", pods: "3" },
        allocatable: { cpu: "4", memory: "nonsense" },
      },
    };
    const listed = itemOf(cluster, clusters);
    const writer = new CachedItems({ types: allTypes }).writer(aContext(clusters));
    const got = read(writer.ofObject(bytesOf(cluster), []));

    expect(listed.status).to.deep.include({
      connected: true,
      requested: { cpu: "1500m", memory: "1Gi", pods: "3", cpuRaw: 1.5, memoryRaw: 1073741824 },
      allocatable: { cpu: "4", memory: "nonsense", cpuRaw: 4 },
    });
    expect(got.status).to.deep.include({ requested: cluster.status.requested });
    expect(got.status).not.to.have.property("connected");
  });

  const release = { name: "r", version: 3, chart: { metadata: { name: "c" } } };
  const packed = gzipSync(JSON.stringify(release)).toString("base64");
  const twice = Buffer.from(packed).toString("base64");
  const helm = { ...metadata, labels: { owner: "helm" } };

  for (const { title, object, type, query, expected } of [
    {
      title: "drops releases",
      object: { metadata: helm, data: { release: twice, b: "2" } },
      type: secrets,
      query: "",
      expected: { b: "2" },
    },
    {
      title: "drops releases of ConfigMaps",
      object: { metadata: helm, data: { b: "2", release: packed } },
      type: configMaps,
      query: "exclude=spec",
      expected: { b: "2" },
    },
    {
      title: "drops releases of Helm 2",
      object: { metadata: { ...metadata, labels: { OWNER: "TILLER" } }, data: { release: "x" } },
      type: configMaps,
      query: "",
      expected: {},
    },
    {
      title: "leaves others' data",
      object: { metadata, data: { release: twice } },
      type: secrets,
      query: "",
      expected: { release: twice },
    },
    {
      title: "leaves data of other types",
      object: { metadata: helm, data: { release: "x" } },
      type: services,
      query: "",
      expected: { release: "x" },
    },
    {
      title: "reads releases when asked",
      object: { metadata: helm, data: { release: twice, b: "2" } },
      type: secrets,
      query: "includeHelmData=true",
      expected: { release, b: "2" },
    },
    {
      title: "reads releases of ConfigMaps",
      object: { metadata: helm, data: { release: packed } },
      type: configMaps,
      query: "includeHelmData=true",
      expected: { release },
    },
    {
      title: "reads what is not packed",
      object: { metadata: helm, data: { release: Buffer.from("[1]").toString("base64") } },
      type: configMaps,
      query: "includeHelmData=true",
      expected: { release: [1] },
    },
    {
      title: "leaves what is no release",
      object: { metadata: helm, data: { release: "AAAA" } },
      type: configMaps,
      query: "includeHelmData=true",
      expected: { release: "AAAA" },
    },
  ]) {
    it(`${title} of Helm`.replace(" of Helm of Helm", " of Helm"), () => {
      const kind = { apiVersion: "v1", kind: type.kind.kind };

      expect(itemOf({ ...kind, ...object }, type, shape(query)).data).to.deep.equal(expected);
    });
  }
});

describe("associatedData", () => {
  const labelled = (name: string, labels: object): Sent => ({
    ...pod,
    metadata: { ...metadata, name, labels },
  });
  const workload = (selector: object, kind = "Deployment"): Sent => ({
    ...{ apiVersion: "apps/v1", kind, metadata },
    spec: { selector, template: { spec: {} } },
  });
  const state = {
    ...{ error: "false", message: "", name: "crashLoopBackOff", transitioning: "false" },
  };

  async function told(
    object: Sent,
    held: Readonly<Record<string, readonly string[]>>,
    query: string,
  ): Promise<unknown> {
    const others = [
      labelled("b", { a: "1", b: "2" }),
      labelled("a", { a: "1" }),
      labelled("c", {}),
    ];
    await using served = await ServedCache.start(pods, [
      ...others,
      { ...pod, metadata: { ...metadata, name: "d", namespace: "other", labels: { a: "1" } } },
    ]);
    const more = { associated: served.collection, access: accessOf(held), ...shape(query) };
    return at(itemOf(object, deployments, more), "metadata", "associatedData");
  }

  const gvk = { group: "", version: "v1", kind: "Pod" };
  const everything = { "": ["* *"] };
  const query = "includeAssociatedData=true";

  for (const { title, selector, held, asked, expected } of [
    {
      title: "the Pods that a workload selects",
      selector: { matchLabels: { a: "1" } },
      held: everything,
      asked: query,
      expected: ["a", "b"],
    },
    {
      title: "none but those",
      selector: { matchLabels: { a: "1", b: "2" } },
      held: everything,
      asked: query,
      expected: ["b"],
    },
    {
      title: "those of expressions",
      selector: {
        matchExpressions: [
          { key: "b", operator: "DoesNotExist" },
          { key: "a", operator: "Exists" },
        ],
      },
      ...{ held: everything, asked: query, expected: ["a"] },
    },
    {
      title: "those that the caller may read",
      selector: { matchLabels: { a: "1" } },
      held: { ns: ["get pods/b"] },
      asked: query,
      expected: ["b"],
    },
    {
      title: "nothing to somebody who may read none",
      selector: { matchLabels: { a: "1" } },
      held: { "": ["list deployments"] },
      asked: query,
      expected: undefined,
    },
    {
      title: "nothing where none are selected",
      selector: { matchLabels: { a: "2" } },
      held: everything,
      asked: query,
      expected: undefined,
    },
    {
      title: "nothing where everything is selected",
      selector: {},
      held: everything,
      asked: query,
      expected: undefined,
    },
    {
      title: "nothing where nobody asks",
      selector: { matchLabels: { a: "1" } },
      held: everything,
      asked: "",
      expected: undefined,
    },
  ]) {
    it(`tells ${title}`, async () => {
      const data = expected?.map((childName) => ({ childName, state }));

      expect(await told(workload(selector), held, asked)).to.deep.equal(data && [{ gvk, data }]);
    });
  }

  for (const [id, child] of [
    ["apps.deployment", "pod"],
    ["apps.daemonset", "pod"],
    ["apps.replicaset", "pod"],
    ["apps.statefulset", "pod"],
    ["batch.job", "pod"],
    ["batch.cronjob", "batch.job"],
    ["pod", undefined],
    ["constructor", undefined],
  ] as const) {
    it(`has ${child ?? "nothing"} with ${id}`, () => {
      expect(associatedType({ id }, allTypes)?.id).to.equal(child);
    });
  }
});

describe("checkPermissions", () => {
  const project = {
    ...{ apiVersion: "management.cattle.io/v3", kind: "Project" },
    metadata: { name: "p-1", namespace: "c-1" },
  };
  const asked = (
    object: Sent,
    held: Readonly<Record<string, readonly string[]>>,
    query: string,
  ): unknown =>
    itemOf(object, projects, { access: accessOf(held), ...shape(query) }).resourcePermissions;

  it("tells rights in the namespace that an object stands for", () => {
    const url = "https://host/api/v1/namespaces/c-1-p-1/pods";

    expect(
      asked(project, { "c-1-p-1": ["get,list,watch pods"] }, "checkPermissions=pods,nope,node"),
    ).to.deep.equal({
      pods: { get: url, list: url, watch: url },
    });
  });

  it("takes the backing namespace where there is one", () => {
    const url = "https://host/v1/management.cattle.io.projects/other";
    const backed = { ...project, status: { backingNamespace: "other" } };

    expect(
      asked(
        backed,
        { other: ["create projects"] },
        "checkPermissions=management.cattle.io.projects",
      ),
    ).to.deep.equal({
      "management.cattle.io.projects": { create: url },
    });
  });

  it("tells of nothing where there are no rights, whatever is excluded", () => {
    expect(asked(project, {}, "checkPermissions=pod&exclude=resourcePermissions")).to.deep.equal(
      {},
    );
  });
});

describe("items of a cache", () => {
  const podOf = (name: string, resourceVersion: string, phase: string): Sent => ({
    ...pod,
    metadata: { ...metadata, name, resourceVersion, managedFields },
    status: {
      phase,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-21T11:00:00Z" }],
    },
  });

  it("are what they are for the object itself", async () => {
    const objects = ["a", "b"].map((name) => podOf(name, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes });
    for (const query of [
      "",
      "exclude=metadata.managedFields",
      "include=metadata",
      "exclude=spec",
      "truncate=3",
    ]) {
      const context = aContext(pods, shape(query));
      for (const [index, object] of [...objects, ...objects].entries()) {
        const item = read(items.writer(context).ofKey(served.collection, `ns/${"abab"[index]}`));

        expect(item, query).to.deep.equal(read(items.writer(context).ofObject(bytesOf(object))));
      }
    }
  });

  it("have managedFields unless they are excluded", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const fieldsOf = (query: string): unknown =>
      at(
        read(items.writer(aContext(pods, shape(query))).ofKey(served.collection, "ns/a")),
        "metadata",
        "managedFields",
      );

    for (let turn = 0; turn < 2; turn++) {
      expect(fieldsOf("")).to.deep.equal(managedFields);
      expect(fieldsOf("exclude=metadata.managedFields")).to.equal(undefined);
      expect(fieldsOf("include=metadata.managedFields")).to.deep.equal(managedFields);
    }
  });

  it("show changes, and are gone with the object", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const stateNow = (): unknown => {
      const parts = items.writer(aContext(pods)).ofKey(served.collection, "ns/a");
      return parts && at(read(parts), "metadata", "state", "name");
    };

    expect(stateNow()).to.equal("running");
    await served.change(podOf("a", "1001", "Pending"), "1001");
    expect(stateNow()).to.equal("pending");
    await served.change(podOf("a", "1002", "Pending"), "1002", "DELETED");
    expect(stateNow()).to.equal(undefined);
  });

  it("grow older without a change", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const ageAt = (now: number): unknown => {
      const item = read(items.writer(aContext(pods, { now })).ofKey(served.collection, "ns/a"));
      return at(item, "metadata", "fields", "4");
    };

    expect(ageAt(noon)).to.equal("60m");
    expect(ageAt(noon + 24 * 3_600_000)).to.equal("25h");
  });

  it("take no more memory than they may", async () => {
    const objects = Array.from({ length: 50 }, (_, index) => podOf(`p${index}`, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes, bytes: 40_000 });
    const writer = items.writer(aContext(pods));
    for (const key of served.cache.keys()) writer.ofKey(served.collection, key);

    expect(items.stats.bytes).to.be.within(1, 20_000);
    expect(items.stats.pieces).to.be.within(1, 15);
    expect(read(writer.ofKey(served.collection, "ns/p0"))).to.include({ id: "ns/p0" });
  });

  it("are deflated once they were asked for twice, and have their own form for each that differs", async () => {
    const large = (version: string, phase: string) => ({
      ...podOf("a", version, phase),
      spec: { note: "x".repeat(4096) },
    });
    await using served = await ServedCache.start(pods, [
      large("8", "Running"),
      podOf("b", "8", "Running"),
    ]);
    const items = new CachedItems({ types: allTypes });
    const others = accessOf({ ns: ["list pods"] });
    const asked = async (more: object = {}): Promise<boolean> => {
      const context = aContext(pods, more);
      const item = items.writer(context).packedOfKey(served.collection, "ns/a");
      const plain = read(items.writer(context).ofKey(served.collection, "ns/a"));
      expect(read(item?.parts)).to.deep.equal(plain);
      if (item?.deflated === undefined) return false;
      const body = new GzipBody();
      body.addDeflated(item.deflated);
      expect(read([gunzipSync(await body.end())])).to.deep.equal(plain);
      return true;
    };

    expect([await asked(), await asked(), await asked()]).to.deep.equal([false, true, true]);
    expect([await asked({ access: others }), await asked({ access: others })]).to.deep.equal([
      ...[false, true],
    ]);
    expect([await asked({ base: "https://other" }), await asked()]).to.deep.equal([false, true]);
    expect(await asked(shape("exclude=metadata.managedFields"))).to.equal(false);
    const later = { now: noon + 3_600_000 };
    expect([await asked(later), await asked(later), await asked()]).to.deep.equal([
      ...[false, true, false],
    ]);
    await served.change(large("1001", "Pending"), "1001");
    expect([await asked(), await asked()]).to.deep.equal([false, true]);
    for (let turn = 0; turn < 3; turn++) expect(await asked(shape("exclude=spec"))).to.equal(false);
    expect(items.stats.deflated).to.be.greaterThan(500);
    const small = items.writer(aContext(pods));
    for (let turn = 0; turn < 3; turn++) {
      expect(small.packedOfKey(served.collection, "ns/b")).to.include({ deflated: undefined });
    }
  });

  it("are made anew when their type changes", async () => {
    await using served = await ServedCache.start(configMaps, [configMap]);
    const items = new CachedItems({ types: allTypes });
    const fieldsOf = (type: typeof configMaps): unknown =>
      at(
        read(items.writer(aContext(type)).ofKey(served.collection, "ns/thing")),
        "metadata",
        "fields",
      );

    expect(fieldsOf(configMaps)).to.deep.equal(["thing", 2, "60m"]);
    expect(fieldsOf({ ...configMaps, cells: () => ["other"] })).to.deep.equal(["other"]);
  });
});
