import { expect } from "chai";
import type { Kind } from "kopf-ts";
import { Problem } from "../problem.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { namePrefix, toCreate, toUpdate } from "./prepare.ts";
import { typeOf } from "./served.test.support.ts";

const secrets: Kind = {
  ...{ group: "", version: "v1", plural: "secrets", kind: "Secret", scope: "Namespaced" },
};
const roles: Kind = {
  ...{ group: "management.cattle.io", version: "v3", plural: "globalroles" },
  ...{ kind: "GlobalRole", scope: "Cluster" },
};

const secret = typeOf(secrets, "secret");
const role = typeOf(roles, "management.cattle.io.globalrole");

describe("toCreate", () => {
  const cases: readonly (readonly [string, ResourceType, object, string | undefined, object])[] = [
    [
      "takes the namespace of the path, and kind and apiVersion of the type",
      secret,
      { apiVersion: "v9", kind: "Other", metadata: { name: "a" } },
      "ns",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "ns" } },
    ],
    [
      "takes the namespace of the object",
      secret,
      { metadata: { name: "a", namespace: "own" } },
      undefined,
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "own" } },
    ],
    [
      "leaves a namespace that differs from the path's to the API server's judgment",
      secret,
      { metadata: { name: "a", namespace: "own" } },
      "ns",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "own" } },
    ],
    [
      "makes the beginning of a name of the kind's capitals",
      role,
      {},
      undefined,
      {
        apiVersion: "management.cattle.io/v3",
        kind: "GlobalRole",
        metadata: { generateName: "gr-" },
      },
    ],
    [
      "names nothing that is not kept",
      { ...role, verbs: ["create"] },
      { spec: {} },
      undefined,
      { apiVersion: "management.cattle.io/v3", kind: "GlobalRole", metadata: {}, spec: {} },
    ],
    [
      "keeps the beginning of a name that is told",
      role,
      { metadata: { generateName: "mine-" } },
      undefined,
      {
        apiVersion: "management.cattle.io/v3",
        kind: "GlobalRole",
        metadata: { generateName: "mine-" },
      },
    ],
    [
      "maps _type back, which Steve forgets on POST",
      secret,
      {
        id: "ns/a",
        type: "secret",
        links: {},
        actions: {},
        _type: "Opaque",
        metadata: { name: "a" },
      },
      "ns",
      {
        apiVersion: "v1",
        kind: "Secret",
        type: "Opaque",
        metadata: { name: "a", namespace: "ns" },
      },
    ],
    [
      "keeps a type that is the object's own",
      secret,
      { type: "kubernetes.io/tls", metadata: { name: "a" } },
      "ns",
      {
        apiVersion: "v1",
        kind: "Secret",
        type: "kubernetes.io/tls",
        metadata: { name: "a", namespace: "ns" },
      },
    ],
    [
      "leaves out what /v1 computed",
      role,
      {
        resourcePermissions: {},
        metadata: { name: "a", fields: [1], state: {}, relationships: null, associatedData: [] },
        status: {
          conditions: [
            {
              ...{ type: "Ready", error: false, transitioning: true },
              ...{ lastTransitionTime: "t", lastUpdateTime: "t" },
            },
            { type: "Old", lastTransitionTime: "t", lastUpdateTime: "u" },
            { type: "Timeless", error: false, transitioning: false, lastUpdateTime: "" },
            "odd",
          ],
        },
      },
      undefined,
      {
        apiVersion: "management.cattle.io/v3",
        kind: "GlobalRole",
        metadata: { name: "a" },
        status: {
          conditions: [
            { type: "Ready", lastTransitionTime: "t" },
            { type: "Old", lastTransitionTime: "t", lastUpdateTime: "u" },
            { type: "Timeless" },
            "odd",
          ],
        },
      },
    ],
  ];

  for (const [title, type, sent, namespace, expected] of cases) {
    it(title, () => {
      expect(toCreate(type, { ...sent }, namespace).object).to.deep.equal(expected);
    });
  }

  for (const metadata of [1, "a", true, [1], []]) {
    it(`refuses metadata that is ${JSON.stringify(metadata)}`, () => {
      expect(() => toCreate(secret, { metadata }, "ns"))
        .to.throw(Problem, "metadata has to be an object")
        .with.property("fieldName", "metadata");
    });
  }

  it("takes metadata that is null for none", () => {
    expect(toCreate(secret, { metadata: null }, "ns").object.metadata).to.deep.equal({
      ...{ generateName: "s-", namespace: "ns" },
    });
  });

  it("refuses an object of a namespaced kind without a namespace", () => {
    expect(() => toCreate(secret, { metadata: { name: "a" } }, undefined))
      .to.throw(Problem, "metadata.namespace or apiOp.namespace are required")
      .with.property("status", 422);
  });
});

describe("toUpdate", () => {
  const place = { namespace: "ns", name: "a" };

  it("fills in name and namespace", () => {
    const object = toUpdate(secret, { _type: "x", metadata: { resourceVersion: "7" } }, place);

    expect(object).to.deep.equal({
      ...{ apiVersion: "v1", kind: "Secret", type: "x" },
      metadata: { resourceVersion: "7", name: "a", namespace: "ns" },
    });
  });

  for (const metadata of [undefined, {}, { resourceVersion: "" }, { resourceVersion: null }, 7]) {
    it(`answers 422 without a resourceVersion: ${JSON.stringify(metadata)}`, () => {
      expect(() => toUpdate(secret, { metadata }, place))
        .to.throw(Problem, "metadata.resourceVersion is required for update")
        .with.include({ status: 422, fieldName: "metadata.resourceVersion" });
    });
  }
});

describe("namePrefix", () => {
  for (const [kind, prefix] of [
    ["User", "u-"],
    ["GlobalRole", "gr-"],
    ["ClusterRoleTemplateBinding", "crtb-"],
    ["ConfigMap", "cm-"],
    ["lower", "l-"],
  ] as const) {
    it(`makes ${prefix} of ${kind}`, () => {
      expect(namePrefix(kind)).to.equal(prefix);
    });
  }
});
