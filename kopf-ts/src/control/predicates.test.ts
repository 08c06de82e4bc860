import { expect } from "chai";
import type { KubeObject, ObjectMeta } from "../kube/index.ts";
import {
  and,
  annotationChanged,
  annotationsChanged,
  type Change,
  changed,
  generationChanged,
  labelChanged,
  labelsChanged,
  not,
  onCreate,
  onDelete,
  onUpdate,
  or,
  type Predicate,
  resourceVersionChanged,
  where,
} from "./index.ts";

type Sized = KubeObject & { readonly spec: { readonly size: number } };

function object(metadata: Partial<ObjectMeta> = {}, size = 1): Sized {
  return { apiVersion: "v1", kind: "Thing", metadata: { name: "a", ...metadata }, spec: { size } };
}

function update(previous: Partial<ObjectMeta>, current: Partial<ObjectMeta>): Change<Sized> {
  return { type: "MODIFIED", previous: object(previous), current: object(current) };
}

const added: Change<Sized> = { type: "ADDED", previous: undefined, current: object() };
const deleted: Change<Sized> = { type: "DELETED", previous: object(), current: undefined };

describe("predicates", () => {
  const table: readonly {
    readonly name: string;
    readonly predicate: Predicate<Sized>;
    readonly change: Change<Sized>;
    readonly passes: boolean;
  }[] = [
    ...[
      { name: "generationChanged", predicate: generationChanged },
      { name: "labelsChanged", predicate: labelsChanged },
      { name: "annotationsChanged", predicate: annotationsChanged },
      { name: "resourceVersionChanged", predicate: resourceVersionChanged },
      { name: "labelChanged", predicate: labelChanged("a") },
      { name: "changed", predicate: changed<Sized>(({ spec }) => spec) },
    ].flatMap(({ name, predicate }) => [
      { name: `${name}: a new object`, predicate, change: added, passes: true },
      { name: `${name}: a deletion`, predicate, change: deleted, passes: true },
      { name: `${name}: the same again`, predicate, change: update({}, {}), passes: false },
    ]),
    {
      name: "generationChanged: a new generation",
      predicate: generationChanged,
      change: update({ generation: 1 }, { generation: 2 }),
      passes: true,
    },
    {
      name: "generationChanged: a new status",
      predicate: generationChanged,
      change: update(
        { generation: 1, resourceVersion: "1" },
        { generation: 1, resourceVersion: "2" },
      ),
      passes: false,
    },
    {
      name: "generationChanged: any change of a kind without generations",
      predicate: generationChanged,
      change: update({ resourceVersion: "1" }, { resourceVersion: "2" }),
      passes: true,
    },
    {
      name: "labelsChanged: a new value",
      predicate: labelsChanged,
      change: update({ labels: { a: "1" } }, { labels: { a: "2" } }),
      passes: true,
    },
    {
      name: "labelsChanged: one label less",
      predicate: labelsChanged,
      change: update({ labels: { a: "1", b: "1" } }, { labels: { a: "1" } }),
      passes: true,
    },
    {
      name: "labelsChanged: one label renamed",
      predicate: labelsChanged,
      change: update({ labels: { a: "1" } }, { labels: { b: "1" } }),
      passes: true,
    },
    {
      name: "labelsChanged: another order",
      predicate: labelsChanged,
      change: update({ labels: { a: "1", b: "2" } }, { labels: { b: "2", a: "1" } }),
      passes: false,
    },
    {
      name: "labelsChanged: an annotation",
      predicate: labelsChanged,
      change: update({}, { annotations: { a: "1" } }),
      passes: false,
    },
    {
      name: "annotationsChanged: an annotation",
      predicate: annotationsChanged,
      change: update({}, { annotations: { a: "1" } }),
      passes: true,
    },
    {
      name: "annotationChanged: that one",
      predicate: annotationChanged("a", "b"),
      change: update({ annotations: { b: "1" } }, { annotations: { b: "2" } }),
      passes: true,
    },
    {
      name: "annotationChanged: another one",
      predicate: annotationChanged("a"),
      change: update({ annotations: { b: "1" } }, { annotations: { b: "2" } }),
      passes: false,
    },
    {
      name: "labelChanged: that one appears",
      predicate: labelChanged("a"),
      change: update({}, { labels: { a: "" } }),
      passes: true,
    },
    { name: "onCreate: a new object", predicate: onCreate, change: added, passes: true },
    { name: "onCreate: an update", predicate: onCreate, change: update({}, {}), passes: false },
    { name: "onUpdate: an update", predicate: onUpdate, change: update({}, {}), passes: true },
    { name: "onUpdate: a deletion", predicate: onUpdate, change: deleted, passes: false },
    { name: "onDelete: a deletion", predicate: onDelete, change: deleted, passes: true },
    {
      name: "changed: the part that is read",
      predicate: changed<Sized>(({ spec }) => spec.size),
      change: { type: "MODIFIED", previous: object({}, 1), current: object({}, 2) },
      passes: true,
    },
    {
      name: "where: the present state counts",
      predicate: where<Sized>(({ spec }) => spec.size === 2),
      change: { type: "MODIFIED", previous: object({}, 1), current: object({}, 2) },
      passes: true,
    },
    {
      name: "where: the last state of a deleted object counts",
      predicate: where<Sized>(({ spec }) => spec.size === 1),
      change: deleted,
      passes: true,
    },
    { name: "and: both", predicate: and(onCreate, labelsChanged), change: added, passes: true },
    { name: "and: one", predicate: and(onCreate, onDelete), change: added, passes: false },
    { name: "and: none given", predicate: and(), change: added, passes: true },
    { name: "or: one", predicate: or(onCreate, onDelete), change: deleted, passes: true },
    {
      name: "or: neither",
      predicate: or(onCreate, onDelete),
      change: update({}, {}),
      passes: false,
    },
    { name: "not: the opposite", predicate: not(onCreate), change: added, passes: false },
  ];

  for (const { name, predicate, change, passes } of table) {
    it(`${name} ${passes ? "passes" : "does not pass"}`, () => {
      expect(predicate(change)).to.equal(passes);
    });
  }

  it("parse nothing that nobody looks at", () => {
    const unseen: Change = {
      type: "ADDED",
      get previous(): undefined {
        throw new Error("looked");
      },
      get current(): undefined {
        throw new Error("looked");
      },
    };

    expect(or(onCreate, labelsChanged)(unseen)).to.equal(true);
  });
});
