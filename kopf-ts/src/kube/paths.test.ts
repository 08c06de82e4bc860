import { expect } from "chai";
import { defineKind } from "./kind.ts";
import { collectionPath, objectPath, queryString } from "./paths.ts";

const Pod = defineKind({
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  scope: "Namespaced",
});
const Node = defineKind({
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  scope: "Cluster",
});
const Token = defineKind({
  group: "management.cattle.io",
  version: "v3",
  plural: "tokens",
  kind: "Token",
  scope: "Cluster",
});
const Role = defineKind({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "roles",
  kind: "Role",
  scope: "Namespaced",
});

describe("collectionPath", () => {
  for (const [name, actual, expected] of [
    ["of one namespace", collectionPath(Pod, "x"), "/api/v1/namespaces/x/pods"],
    ["of all namespaces", collectionPath(Pod), "/api/v1/pods"],
    ["of all namespaces, when it is empty", collectionPath(Pod, ""), "/api/v1/pods"],
    ["of a group", collectionPath(Token), "/apis/management.cattle.io/v3/tokens"],
    ["of a cluster-wide kind, whatever the namespace", collectionPath(Node, "x"), "/api/v1/nodes"],
  ] as const) {
    it(name, () => expect(actual).to.equal(expected));
  }
});

describe("objectPath", () => {
  for (const [name, actual, expected] of [
    ["of an object", objectPath(Pod, "a", "x"), "/api/v1/namespaces/x/pods/a"],
    ["of a subresource", objectPath(Node, "a", undefined, "status"), "/api/v1/nodes/a/status"],
    [
      "of names that RBAC allows",
      objectPath(Role, "system:controller:a", "x"),
      "/apis/rbac.authorization.k8s.io/v1/namespaces/x/roles/system:controller:a",
    ],
    ["of names with a slash", objectPath(Node, "a/b?c", undefined), "/api/v1/nodes/a%2Fb%3Fc"],
  ] as const) {
    it(name, () => expect(actual).to.equal(expected));
  }

  for (const [name, fails, message] of [
    [
      "an empty name, which would be the whole collection",
      () => objectPath(Node, "", undefined),
      '"" is no name of a Node',
    ],
    [
      "a name that leads elsewhere",
      () => objectPath(Node, "..", undefined),
      '".." is no name of a Node',
    ],
    [
      "a missing namespace",
      () => objectPath(Pod, "a", undefined),
      'Pod "a" is namespaced, but no namespace is given',
    ],
    [
      "an empty namespace",
      () => objectPath(Pod, "a", ""),
      'Pod "a" is namespaced, but no namespace is given',
    ],
    [
      "a namespace that leads elsewhere",
      () => objectPath(Pod, "a", ".."),
      '".." is no namespace of a Pod',
    ],
  ] as const) {
    it(`refuses ${name}`, () => {
      expect(fails).to.throw(message).and.to.include({ code: 0, reason: "BadRequest" });
    });
  }
});

describe("queryString", () => {
  for (const [name, query, expected] of [
    ["is empty without parameters", {}, ""],
    ["leaves out what is undefined or empty", { a: undefined, b: "" }, ""],
    [
      "writes numbers and booleans",
      { limit: 500, watch: true, force: false, zero: 0 },
      "?limit=500&watch=true&force=false&zero=0",
    ],
    [
      "encodes",
      { labelSelector: "a in (b,c),d=é" },
      "?labelSelector=a%20in%20(b%2Cc)%2Cd%3D%C3%A9",
    ],
  ] as const) {
    it(name, () => expect(queryString(query)).to.equal(expected));
  }
});
