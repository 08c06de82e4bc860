import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { at } from "../tree.ts";
import { CachedItems } from "./items.ts";
import {
  aContext,
  accessOf,
  allTypes,
  bytesOf,
  clusters,
  configMaps,
  itemOf,
  managedFields,
  metadata,
  namespaces,
  read,
  secrets,
  services,
  settings,
  shape,
} from "./testing.test.support.ts";

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
