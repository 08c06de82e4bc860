import { createHash } from "node:crypto";
import { expect } from "chai";
import type { KubeObject } from "../kube/index.ts";
import { dress } from "./desired.ts";
import { claimOf, describeSet, markedOwnerOf, marksOf, setIndex, setLabel } from "./marks.ts";

const cluster = {
  apiVersion: "management.cattle.io/v3",
  kind: "Cluster",
  metadata: { name: "c-abcde", uid: "u-1" },
};
const project = {
  apiVersion: "management.cattle.io/v3",
  kind: "Project",
  metadata: { name: "p-1", namespace: "c-abcde", uid: "u-2" },
};

function aMember(changes: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const object = aConfigMap();
  const marks = marksOf({ id: "agents", owner: cluster });
  const dressed = dress(object, { marks, owner: cluster, ownerReference: "controller" });
  return { ...dressed, metadata: { ...dressed.metadata, ...changes } };
}

function aConfigMap(name = "settings"): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}

describe("marksOf", () => {
  it("hashes id, owner kind, name and namespace one after the other, as wrangler does", () => {
    const text = "agentsmanagement.cattle.io/v3, Kind=Projectp-1c-abcde";

    const { hash } = marksOf({ id: "agents", owner: project });

    expect(hash).to.equal(createHash("sha1").update(text).digest("hex"));
  });

  it("writes an owner of the core group with an empty group, as Go prints it", () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } };

    const { annotations } = marksOf({ id: "x", owner: namespace });

    expect(annotations["objectset.rio.cattle.io/owner-gvk"]).to.equal("/v1, Kind=Namespace");
  });

  it("names no owner for a set without one", () => {
    expect(marksOf({ id: "built-in" }).annotations).to.deep.equal({
      "objectset.rio.cattle.io/id": "built-in",
    });
  });

  it("tells sets of one owner apart by their id", () => {
    const one = marksOf({ id: "one", owner: cluster });
    const two = marksOf({ id: "two", owner: cluster });

    expect(one.hash).to.not.equal(two.hash);
  });
});

describe("claimOf", () => {
  const { hash } = marksOf({ id: "agents", owner: cluster });
  const marks = aMember().metadata;
  const plain = { ...marks.annotations };
  delete plain["kopf-ts.dev/applied"];

  for (const { name, object, expected } of [
    { name: "is the set's hash for a member", object: aMember(), expected: hash },
    { name: "is nothing without the label", object: aConfigMap(), expected: undefined },
    {
      name: "is the set's hash for an object that wrangler applied",
      object: aMember({ annotations: plain }),
      expected: hash,
    },
    {
      name: "is nothing for a label that was copied alone, as to Endpoints",
      object: aMember({ annotations: {} }),
      expected: undefined,
    },
    {
      name: "is nothing when the annotations tell of another set",
      object: aMember({ annotations: { ...plain, "objectset.rio.cattle.io/id": "other" } }),
      expected: undefined,
    },
    {
      name: "is nothing for a copy under another name",
      object: aMember({ name: "settings-copy" }),
      expected: undefined,
    },
    {
      name: "is nothing for a copy in another namespace",
      object: aMember({ namespace: "elsewhere" }),
      expected: undefined,
    },
  ]) {
    it(name, () => expect(claimOf(object)).to.equal(expected));
  }

  it("stays when the object is served in another version of its group", () => {
    const object = { ...aMember(), apiVersion: "v2" };

    expect(claimOf(object)).to.equal(hash);
  });
});

describe("markedOwnerOf", () => {
  it("names an owner in another namespace, where no reference can point", () => {
    const marks = marksOf({ id: "x", owner: project });
    const member = dress(aConfigMap(), { marks, owner: project, ownerReference: "controller" });

    expect(member.metadata.ownerReferences).to.equal(undefined);
    expect(markedOwnerOf(member)).to.deep.equal({
      apiVersion: "management.cattle.io/v3",
      kind: "Project",
      metadata: { name: "p-1", namespace: "c-abcde" },
    });
  });

  it("names an owner of the core group", () => {
    const owner = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns", uid: "u" } };
    const member = dress(aConfigMap(), {
      marks: marksOf({ id: "x", owner }),
      owner,
      ownerReference: "none",
    });

    expect(markedOwnerOf(member)).to.deep.equal({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "ns" },
    });
  });

  it("names nobody for a set without owner and for an object without marks", () => {
    const marks = marksOf({ id: "built-in" });
    const member = dress(aConfigMap(), { marks, owner: undefined, ownerReference: "none" });

    expect(markedOwnerOf(member)).to.equal(undefined);
    expect(markedOwnerOf(aConfigMap())).to.equal(undefined);
  });
});

describe("the scope of a set", () => {
  const scoped = (scope: string | undefined) =>
    dress(aConfigMap(), {
      marks: marksOf({ id: "x", owner: project, scope }),
      owner: project,
      ownerReference: "none",
    });

  it("makes another set of the same id and owner", () => {
    const hashes = [undefined, "c-1", "c-2"].map(
      (scope) => marksOf({ id: "x", owner: project, scope }).hash,
    );

    expect(new Set(hashes)).to.have.length(3);
    expect(scoped("c-1").metadata.annotations).to.include({
      "objectset.rio.cattle.io/id": "x@c-1",
    });
  });

  for (const { marked, asked, known } of [
    { marked: undefined, asked: undefined, known: true },
    { marked: "c-1", asked: "c-1", known: true },
    { marked: "c-1", asked: "c-2", known: false },
    { marked: "c-1", asked: undefined, known: false },
    { marked: undefined, asked: "c-1", known: false },
  ]) {
    it(`${known ? "is" : "is not"} ${asked} for marks of ${marked}`, () => {
      const owner = markedOwnerOf(scoped(marked), asked);

      expect(owner?.metadata.name).to.equal(known ? "p-1" : undefined);
    });
  }

  it("cannot be feigned by an id", () => {
    expect(() => marksOf({ id: "x@c-1", owner: project })).to.throw(TypeError, "has no @: x@c-1");
  });
});

describe("setIndex", () => {
  it("finds members by the label's value and nothing else", () => {
    const { hash } = marksOf({ id: "agents", owner: cluster });

    expect(setIndex.of(aMember())).to.deep.equal([hash]);
    expect(setIndex.of(aConfigMap())).to.deep.equal([]);
  });
});

describe("describeSet", () => {
  it("says whose the object is", () => {
    expect(describeSet(aMember())).to.equal(
      "set agents of management.cattle.io/v3, Kind=Cluster c-abcde",
    );
  });

  it("fits the label of a Kubernetes object", () => {
    expect(aMember().metadata.labels?.[setLabel]).to.match(/^[0-9a-f]{40}$/);
  });
});
