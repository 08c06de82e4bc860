import { expect } from "chai";
import { defineKind, type KubeObject } from "../kube/index.ts";
import { type Dressing, dress, groupByKind } from "./desired.ts";
import { appliedAnnotation, marksOf } from "./marks.ts";

const ConfigMap = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});
const Namespace = defineKind({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  scope: "Cluster",
});

const owner = { apiVersion: "v1", kind: "Namespace", metadata: { name: "owner", uid: "u-1" } };
const dressing: Dressing = {
  marks: marksOf({ id: "x", owner }),
  owner,
  ownerReference: "controller",
};

function aConfigMap(data: Record<string, string> = {}, metadata = {}): KubeObject {
  const named = { name: "a", namespace: "default", ...metadata };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: named, data } as KubeObject;
}

describe("dress", () => {
  it("keeps the object's own labels, annotations and owners", () => {
    const object = aConfigMap(
      {},
      {
        labels: { mine: "yes" },
        annotations: { note: "n" },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u-9" }],
      },
    );

    const { metadata } = dress(object, dressing);

    expect(metadata.labels).to.include({ mine: "yes" });
    expect(metadata.annotations).to.include({ note: "n" });
    expect(metadata.ownerReferences?.map(({ uid }) => uid)).to.deep.equal(["u-9", "u-1"]);
  });

  it("does not touch the object it was given", () => {
    const object = Object.freeze(aConfigMap());

    dress(object, dressing);

    expect(object.metadata).to.deep.equal({ name: "a", namespace: "default" });
  });

  it("gives equal objects equal hashes, whatever the order of their keys", () => {
    const one = dress(aConfigMap({ a: "1", b: "2" }), dressing);
    const two = dress(aConfigMap({ b: "2", a: "1" }), dressing);

    expect(applied(one)).to.equal(applied(two));
  });

  for (const { name, other } of [
    { name: "field", other: dress(aConfigMap({ a: "1" }), dressing) },
    {
      name: "owner reference",
      other: dress(aConfigMap(), { ...dressing, ownerReference: "none" }),
    },
    {
      name: "set",
      other: dress(aConfigMap(), { ...dressing, marks: marksOf({ id: "y", owner }) }),
    },
  ]) {
    it(`gives another hash for another ${name}`, () => {
      expect(applied(other)).to.not.equal(applied(dress(aConfigMap(), dressing)));
    });
  }

  it("points to a plain owner", () => {
    const { metadata } = dress(aConfigMap(), { ...dressing, ownerReference: "plain" });

    expect(metadata.ownerReferences?.[0]?.controller).to.equal(false);
  });
});

describe("groupByKind", () => {
  it("has a group for every kind, also when nothing of it is wanted", () => {
    const object = aConfigMap();

    const groups = groupByKind([object], [ConfigMap, Namespace]);

    expect([...groups]).to.deep.equal([
      [ConfigMap, [object]],
      [Namespace, []],
    ]);
  });

  it("has one group for a kind that is declared twice, and one for each version", () => {
    const object = aConfigMap();
    const next = { ...ConfigMap, version: "v2" };

    const groups = groupByKind([object], [ConfigMap, next, { ...ConfigMap }]);

    expect([...groups]).to.deep.equal([
      [ConfigMap, [object]],
      [next, []],
    ]);
  });

  it("refuses one object wanted in two versions", () => {
    const objects = [aConfigMap(), { ...aConfigMap(), apiVersion: "v2" }];
    const group = () => groupByKind(objects, [ConfigMap, { ...ConfigMap, version: "v2" }]);

    expect(group).to.throw(TypeError, "ConfigMap default/a is wanted twice");
  });

  for (const { name, objects, message } of [
    {
      name: "a kind that would never be pruned",
      objects: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "n" } }],
      message: "Secret n/s: its kind is in neither prune nor keep",
    },
    {
      name: "another version of a kind",
      objects: [{ ...aConfigMap(), apiVersion: "v2" }],
      message: "ConfigMap default/a: its kind is in neither prune nor keep",
    },
    {
      name: "one object wanted twice",
      objects: [aConfigMap(), aConfigMap({ a: "1" })],
      message: "ConfigMap default/a is wanted twice",
    },
    {
      name: "a namespaced object without namespace",
      objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }],
      message: "ConfigMap a: ConfigMap is namespaced",
    },
    {
      name: "a cluster-scoped object in a namespace",
      objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "a", namespace: "b" } }],
      message: "Namespace b/a: Namespace is cluster",
    },
  ]) {
    it(`refuses ${name}`, () => {
      const group = () => groupByKind(objects, [ConfigMap, Namespace]);

      expect(group).to.throw(TypeError, message);
    });
  }
});

function applied(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[appliedAnnotation];
}
