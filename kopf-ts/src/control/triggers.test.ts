import { expect } from "chai";
import { marksOf } from "../apply/index.ts";
import type { CacheChange } from "../cache/index.ts";
import {
  defineKind,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
} from "../kube/index.ts";
import { generationChanged, not, onCreate, owned, related } from "./index.ts";
import { isWorthARun, ownerKeys, ownersOf, relatedKeys } from "./triggers.ts";

const Widget = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});
const Team = { ...Widget, plural: "teams", kind: "Team", scope: "Cluster" } as const;

function object(metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", namespace: "ns", ...metadata },
  };
}

function ownedBy(name: string, more: Partial<OwnerReference> = {}): KubeObject {
  const reference = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    name,
    uid: `uid-${name}`,
    controller: true,
  };
  return object({ ownerReferences: [{ ...reference, ...more }] });
}

function change(
  type: CacheChange["type"],
  previous: KubeObject | undefined,
  current: KubeObject | undefined,
): CacheChange {
  return {
    type,
    key: "ns/c",
    initial: false,
    resourceVersion: "2",
    previousResourceVersion: "1",
    labelsChanged: false,
    previous: () => previous,
    current: () => current,
  };
}

const noCaches = (): never => expect.fail("asked for a cache");
const nothing = { cache: noCaches, place: { cluster: "", hub: noCaches } };

describe("ownersOf", () => {
  for (const { name, reference, owner, anyOwner, expected } of [
    {
      name: "a controller in the object's namespace",
      reference: {},
      owner: Widget,
      expected: ["ns/w"],
    },
    {
      name: "a controller written in another version",
      reference: { apiVersion: "example.com/v1beta1" },
      owner: Widget,
      expected: ["ns/w"],
    },
    {
      name: "a controller outside of namespaces",
      reference: { kind: "Team" },
      owner: Team,
      expected: ["w"],
    },
    { name: "no owner of another kind", reference: { kind: "Team" }, owner: Widget, expected: [] },
    {
      name: "no owner of another group",
      reference: { apiVersion: "v1" },
      owner: Widget,
      expected: [],
    },
    {
      name: "no owner that is not the controller",
      reference: { controller: false },
      owner: Widget,
      expected: [],
    },
    {
      name: "any owner when asked for",
      reference: { controller: false },
      owner: Widget,
      anyOwner: true,
      expected: ["ns/w"],
    },
  ]) {
    it(`finds ${name}`, () => {
      expect(ownersOf(ownedBy("w", reference), { kind: owner, anyOwner })).to.deep.equal(expected);
    });
  }

  /** As applySet makes them for a Widget `ns/w` from another namespace, or for a Team `w`. */
  function markedBy(
    owner: { readonly kind: string; readonly namespace?: string },
    scope?: string,
  ): KubeObject {
    const { kind, namespace } = owner;
    const { hash, annotations } = marksOf({
      id: "x",
      scope,
      owner: {
        apiVersion: "example.com/v1beta1",
        kind,
        metadata: { name: "w", ...(namespace !== undefined && { namespace }) },
      },
    });
    const labels = { "objectset.rio.cattle.io/hash": hash };
    return object({ namespace: "elsewhere", labels, annotations });
  }

  for (const { name, marked, owner, expected } of [
    {
      name: "the owner in the marks, where no reference points",
      marked: markedBy({ kind: "Widget", namespace: "ns" }),
      owner: Widget,
      expected: ["ns/w"],
    },
    {
      name: "the owner outside of namespaces in the marks",
      marked: markedBy({ kind: "Team" }),
      owner: Team,
      expected: ["w"],
    },
    {
      name: "no owner of another kind in the marks",
      marked: markedBy({ kind: "Team" }),
      owner: Widget,
      expected: [],
    },
  ]) {
    it(`finds ${name}`, () => {
      expect(ownersOf(marked, { kind: owner })).to.deep.equal(expected);
    });
  }

  const mine = markedBy({ kind: "Team" }, "c-1");
  const referring = { ...mine, metadata: { ...ownedBy("other").metadata, ...mine.metadata } };
  for (const { name, marked, sets, expected } of [
    {
      name: "the owner in the hub by marks of this cluster",
      marked: mine,
      sets: { scope: "c-1", ownersElsewhere: true },
      expected: ["w"],
    },
    {
      name: "no owner in the hub by marks of another hub",
      marked: mine,
      sets: { scope: "local", ownersElsewhere: true },
      expected: [],
    },
    {
      name: "no owner in the hub by marks without a cluster",
      marked: markedBy({ kind: "Team" }),
      sets: { scope: "c-1", ownersElsewhere: true },
      expected: [],
    },
    { name: "no owner here by marks of a hub", marked: mine, sets: undefined, expected: [] },
    {
      name: "no owner in the hub by a reference, which means one of this cluster",
      marked: ownedBy("w", { kind: "Team" }),
      sets: { scope: "c-1", ownersElsewhere: true },
      expected: [],
    },
    {
      name: "the owner in the hub beside a reference to another",
      marked: referring,
      sets: { scope: "c-1", ownersElsewhere: true },
      expected: ["w"],
    },
    {
      name: "the owner in the hub of what is there too, by a reference",
      marked: ownedBy("w", { kind: "Team" }),
      sets: { scope: "c-1", ownersElsewhere: false },
      expected: ["w"],
    },
  ]) {
    it(`finds ${name}`, () => {
      expect(ownersOf(marked, { kind: Team, sets })).to.deep.equal(expected);
    });
  }

  it("finds none for an object without owners", () => {
    expect(ownersOf(object(), { kind: Widget })).to.deep.equal([]);
  });
});

describe("ownerKeys", () => {
  for (const { name, event, expected } of [
    { name: "a new object", event: change("ADDED", undefined, ownedBy("w")), expected: ["ns/w"] },
    {
      name: "a deleted object",
      event: change("DELETED", ownedBy("w"), undefined),
      expected: ["ns/w"],
    },
    {
      name: "an object that changed hands",
      event: change("MODIFIED", ownedBy("old"), ownedBy("new")),
      expected: ["ns/new", "ns/old"],
    },
    {
      name: "an object that was left",
      event: change("MODIFIED", ownedBy("old"), object()),
      expected: ["ns/old"],
    },
  ]) {
    it(`are those of ${name}`, () => {
      expect([...ownerKeys(owned(Widget), { kind: Widget }, event)]).to.deep.equal(expected);
    });
  }

  it("are none when the change does not count", () => {
    const quiet = owned(Widget, { when: not(onCreate) });

    expect([
      ...ownerKeys(quiet, { kind: Widget }, change("ADDED", undefined, ownedBy("w"))),
    ]).to.deep.equal([]);
  });
});

describe("relatedKeys", () => {
  const byTeam = related(Widget, { map: ({ metadata }) => [metadata.labels?.team ?? "none"] });

  it("are those of both states, each once", () => {
    const [red, blue] = ["red", "blue"].map((team) => object({ labels: { team } }));

    expect([...relatedKeys(byTeam, nothing, change("MODIFIED", red, blue))]).to.deep.equal([
      "blue",
      "red",
    ]);
    expect([...relatedKeys(byTeam, nothing, change("MODIFIED", red, red))]).to.deep.equal(["red"]);
    expect([...relatedKeys(byTeam, nothing, change("DELETED", red, undefined))]).to.deep.equal([
      "red",
    ]);
  });
});

describe("isWorthARun", () => {
  const going = object({ deletionTimestamp: "2026-01-01T00:00:00Z", generation: 1 });
  const here = object({ generation: 1 });
  for (const { name, event, when, expected } of [
    {
      name: "everything without a predicate",
      event: change("MODIFIED", here, here),
      expected: true,
    },
    {
      name: "what the predicate passes",
      event: change("ADDED", undefined, here),
      when: onCreate,
      expected: true,
    },
    {
      name: "not what it does not pass",
      event: change("MODIFIED", here, here),
      when: generationChanged,
      expected: false,
    },
    {
      name: "a deletion, whatever the predicate",
      event: change("DELETED", here, undefined),
      when: onCreate,
      expected: true,
    },
    {
      name: "the beginning of a deletion, whatever the predicate",
      event: change("MODIFIED", here, going),
      when: generationChanged,
      expected: true,
    },
    {
      name: "not a change while it goes on",
      event: change("MODIFIED", going, going),
      when: generationChanged,
      expected: false,
    },
  ]) {
    it(`is ${name}`, () => {
      expect(isWorthARun(when === undefined ? {} : { when }, event)).to.equal(expected);
    });
  }
});
