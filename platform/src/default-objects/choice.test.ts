import { expect } from "chai";
import { claimOf, type KubeObject, marksOf, type ObjectMeta, refTo, setIndex } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { chosen, defaultName, defaultsForm, defaultsIndex, isDefaultObject } from "./choice.ts";

const label = "resourcequota.management.cattle.io/default-resource-quota";
const set = { id: "drover-resource-quotas", scope: "c-1" };
const anObject = (metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "default-abcde", namespace: "shop", ...metadata },
});
const marked = (owner = "shop", id = set): Partial<ObjectMeta> => {
  const { hash, annotations } = marksOf({ ...id, owner: refTo(Namespace, owner) });
  return { labels: { [setIndex.name]: hash }, annotations };
};

describe("isDefaultObject", () => {
  const rancher = { labels: { [label]: "true" }, generateName: "default-" };

  for (const { name, metadata, expected } of [
    { name: "what we marked", metadata: marked(), expected: true },
    {
      name: "what we marked and somebody relabelled",
      metadata: { annotations: marked().annotations ?? {} },
      expected: true,
    },
    { name: "what Rancher made", metadata: rancher, expected: true },
    {
      name: "what bears the label and was named by somebody",
      metadata: { labels: rancher.labels },
      expected: false,
    },
    {
      name: "what only has such a name",
      metadata: { generateName: "default-" },
      expected: false,
    },
    { name: "what was marked for another namespace", metadata: marked("other"), expected: false },
    {
      name: "what another concern marked, whatever its label",
      metadata: { ...rancher, ...marked("shop", { ...set, id: "other" }) },
      expected: false,
    },
    {
      name: "what another hub marked",
      metadata: marked("shop", { ...set, scope: "c-2" }),
      expected: false,
    },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(isDefaultObject(anObject(metadata), set)).to.equal(expected);
    });
  }

  it("is found by the index, relabelled or not", () => {
    const find = defaultsForm.indexes[defaultsIndex];

    expect(find?.(anObject(marked()))).to.deep.equal(["shop"]);
    expect(find?.(anObject({ annotations: marked().annotations ?? {} }))).to.deep.equal(["shop"]);
    expect(find?.(anObject(rancher))).to.deep.equal(["shop"]);
    expect(find?.(anObject({ labels: { a: "b" } }))).to.deep.equal([]);
    expect(claimOf(anObject(rancher))).to.equal(undefined);
  });
});

describe("chosen", () => {
  const old = anObject({ name: "b", creationTimestamp: "2026-01-01T00:00:00Z" });
  const young = anObject({ name: "a", creationTimestamp: "2026-01-02T00:00:00Z" });
  const twin = anObject({ name: "c", creationTimestamp: "2026-01-01T00:00:00Z" });

  it("keeps the oldest, of one age the smaller name", () => {
    expect(chosen([young, twin, old])).to.deep.equal({ kept: old, surplus: [twin, young] });
  });

  it("does not count what is being deleted", () => {
    const leaving = anObject({ name: "0", deletionTimestamp: "2026-01-03T00:00:00Z" });

    expect(chosen([leaving, young])).to.deep.equal({ kept: young, surplus: [] });
    expect(chosen([leaving])).to.deep.equal({ kept: undefined, surplus: [] });
  });
});

describe("defaultName", () => {
  it("looks like Rancher's and follows from the namespace", () => {
    const name = defaultName("shop", () => false);

    expect(name).to.match(/^default-[a-z0-9]{5}$/);
    expect(defaultName("shop", () => false)).to.equal(name);
    expect(defaultName("store", () => false)).not.to.equal(name);
  });

  it("is another one where somebody has it", () => {
    const first = defaultName("shop", () => false);

    const second = defaultName("shop", (name) => name === first);

    expect(second)
      .to.match(/^default-[a-z0-9]{5}$/)
      .and.not.equal(first);
  });
});
