import { aProject } from "@drover/crds/testing";
import { expect } from "chai";
import type { ObjectMeta } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import {
  copyOf,
  ignores,
  isCopy,
  memberOf,
  ownerOf,
  remedyFor,
  sourceKeysOf,
  updated,
} from "./desired.ts";

const label = "management.cattle.io/project-scoped-secret";
const copyKey = "management.cattle.io/project-scoped-secret-copy";
const ignoreKey = "management.cattle.io/project-scoped-secret-ignore-namespaces";
const aSecret = (fields: Partial<Secret> = {}, metadata: Partial<ObjectMeta> = {}): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "db",
    namespace: "c-1-p-1",
    uid: "1",
    resourceVersion: "7",
    labels: { [label]: "p-1", [`${label}-cluster`]: "c-1" },
    ...metadata,
  },
  type: "Opaque",
  data: { key: "dmFsdWU=" },
  ...fields,
});

describe("copyOf", () => {
  it("case 50: carries labels, annotations, data and type, and is marked", () => {
    const source = aSecret(
      { type: "kubernetes.io/tls" },
      { annotations: { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
    );

    expect(copyOf(source, "shop")).to.deep.equal({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "db",
        namespace: "shop",
        labels: source.metadata.labels,
        annotations: { note: "x", [copyKey]: "true", "secret.user.cattle.io/secret": "true" },
      },
      type: "kubernetes.io/tls",
      data: source.data,
    });
    expect(isCopy(copyOf(source, "shop"))).to.equal(true);
    expect(isCopy(source)).to.equal(false);
  });
});

describe("ignores", () => {
  for (const { text, ignored = [], kept = [] } of [
    { text: undefined, kept: ["shop"] },
    { text: "", kept: ["shop"] },
    { text: "shop", ignored: ["shop"], kept: ["shop-2", "workshop"] },
    { text: " shop , store ", ignored: ["shop", "store"], kept: ["other"] },
    { text: "shop-.*", ignored: ["shop-1", "my-shop-1"], kept: ["shop"] },
    { text: "^shop.*,x", ignored: ["shop-1", "x"], kept: ["my-shop"] },
    { text: "(*", ignored: ["(*"], kept: ["shop"] },
    { text: "*", kept: ["shop"] },
    { text: ",,", kept: ["", "shop"] },
    { text: "sh.p", kept: ["shop"] },
  ]) {
    it(`case 50: reads ${text ?? "nothing"}`, () => {
      const metadata = text === undefined ? {} : { annotations: { [ignoreKey]: text } };
      const isIgnored = ignores(aSecret({}, metadata));

      for (const name of ignored) expect(isIgnored(name), name).to.equal(true);
      for (const name of kept) expect(isIgnored(name), name).to.equal(false);
    });
  }
});

describe("remedyFor", () => {
  const wanted = copyOf(aSecret(), "shop");
  const live = (fields: Partial<Secret> = {}, metadata: Partial<ObjectMeta> = {}): Secret => ({
    ...wanted,
    ...fields,
    metadata: { ...wanted.metadata, uid: "2", resourceVersion: "9", ...metadata },
  });

  for (const { name, there, want = wanted, expected } of [
    { name: "what is as it should be", there: live(), expected: "none" },
    { name: "other data", there: live({ data: { key: "eA==" } }), expected: "update" },
    {
      name: "data besides",
      there: live({ data: { ...wanted.data, more: "eA==" } }),
      expected: "update",
    },
    { name: "other labels", there: live({}, { labels: { [label]: "p-1" } }), expected: "update" },
    { name: "other annotations", there: live({}, { annotations: {} }), expected: "update" },
    { name: "another type", there: live({ type: "x/y" }), expected: "replace" },
    {
      name: "data of what is immutable",
      there: live({ immutable: true, data: {} }),
      expected: "replace",
    },
    { name: "what is to be mutable again", there: live({ immutable: true }), expected: "replace" },
    {
      name: "labels of what is immutable",
      there: live({ immutable: true }, { labels: {} }),
      want: { ...wanted, immutable: true },
      expected: "update",
    },
    {
      name: "what becomes immutable",
      there: live(),
      want: { ...wanted, immutable: true },
      expected: "update",
    },
  ]) {
    it(`is ${expected} for ${name}`, () => expect(remedyFor(there, want)).to.equal(expected));
  }

  it("updates in the version that was looked at, and leaves finalizers and owners", () => {
    const there = live({ data: {} }, { finalizers: ["a/b"], labels: { other: "x" } });

    expect(updated(there, wanted)).to.deep.equal({
      ...wanted,
      metadata: { ...wanted.metadata, uid: "2", resourceVersion: "9", finalizers: ["a/b"] },
    });
  });
});

describe("sourceKeysOf", () => {
  const project = aProject({
    metadata: { name: "p-1", namespace: "c-1" },
    status: { backingNamespace: "c-1-backing" },
  });
  const copy = copyOf(aSecret(), "shop");

  it("goes by the project's own namespace", () => {
    const find = (key: string) => (key === "c-1/p-1" ? project : undefined);

    expect(sourceKeysOf(copy, "c-1", find)).to.deep.equal(["c-1-backing/db"]);
  });

  it("is in doubt once the project is gone", () => {
    expect(sourceKeysOf(copy, "c-1", () => undefined)).to.deep.equal(["c-1-p-1/db", "p-1/db"]);
  });

  it("is none without the label", () => {
    const bare = { ...copy, metadata: { ...copy.metadata, labels: {} } };

    expect(sourceKeysOf(bare, "c-1", () => project)).to.deep.equal([]);
  });
});

describe("keys of projects", () => {
  it("follow from labels of a Secret and from the annotation of a namespace", () => {
    const namespace = { name: "shop", annotations: { "field.cattle.io/projectId": "c-1:p-1" } };

    expect(ownerOf(aSecret())).to.deep.equal(["c-1/p-1"]);
    expect(ownerOf(aSecret({}, { labels: { [label]: "p-1" } }))).to.deep.equal([]);
    expect(memberOf({ apiVersion: "v1", kind: "Namespace", metadata: namespace })).to.deep.equal([
      "c-1/p-1",
    ]);
  });
});
