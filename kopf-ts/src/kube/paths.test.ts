import { expect } from "chai";
import { defineKind } from "./kind.ts";
import { collectionPath, objectPath, onlyNamed, queryString } from "./paths.ts";

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

/** What JSON may hold where a type promises text. */
const { name: nothing } = JSON.parse("{}") as { readonly name: string };

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
    [
      "of a name with a query in it",
      objectPath(Node, "a?b#c", undefined),
      "/api/v1/nodes/a%3Fb%23c",
    ],
    ["of a name with dots in it", objectPath(Node, "a..b", undefined), "/api/v1/nodes/a..b"],
    ["of a name that ends with a dot", objectPath(Node, "a.", undefined), "/api/v1/nodes/a."],
    [
      "of a name in other letters",
      objectPath(Node, "ä \u{1f600}", undefined),
      "/api/v1/nodes/%C3%A4%20%F0%9F%98%80",
    ],
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
    ...["t/secrets", "/", "a/", "../nodes", "t%2Fsecrets", "%2e%2e", "100%"].flatMap((text) => [
      [
        `the name ${text}, which leads elsewhere once it is decoded`,
        () => objectPath(Node, text, undefined),
        `"${text}" is no name of a Node`,
      ] as const,
      [
        `the namespace ${text}`,
        () => objectPath(Pod, "a", text),
        `"${text}" is no namespace of a Pod`,
      ] as const,
      [
        `the namespace ${text} of a collection`,
        () => collectionPath(Pod, text),
        `"${text}" is no namespace of a Pod`,
      ] as const,
    ]),
    [
      "half a character",
      () => objectPath(Node, "\ud800", undefined),
      '"\\ud800" is no name of a Node',
    ],
    [
      "a name that is missing in spite of its type",
      () => objectPath(Node, nothing, undefined),
      "undefined is no name of a Node",
    ],
    [
      "a subresource that is more than one segment",
      () => objectPath(Node, "a", undefined, "proxy/metrics"),
      '"proxy/metrics" is no subresource',
    ],
    [
      "a subresource that is none",
      () => objectPath(Node, "a", undefined, ""),
      '"" is no subresource',
    ],
    ["a group", () => collectionPath({ ...Role, group: "a/b" }), '"a/b" is no group'],
    ["a version", () => collectionPath({ ...Node, version: ".." }), '".." is no version'],
    ["a plural", () => collectionPath({ ...Node, plural: "nodes?x" }), '"nodes?x" is no plural'],
  ] as const) {
    it(`refuses ${name}`, () => {
      expect(fails).to.throw(message).and.to.include({ code: 0, reason: "BadRequest" });
    });
  }
});

describe("onlyNamed", () => {
  for (const [name, selector] of [
    ["web-1", "metadata.name=web-1"],
    ["system:node", "metadata.name=system:node"],
    ["a,b=c\\d", "metadata.name=a\\,b\\=c\\\\d"],
  ] as const) {
    it(`selects ${name} by ${selector}`, () => {
      expect(onlyNamed({}, { name }).fieldSelector).to.equal(selector);
    });
  }

  it("stays within what is selected", () => {
    const within = { namespace: "a", fieldSelector: "type=x" };

    const anywhere = onlyNamed(within, { name: "n" });
    const elsewhere = onlyNamed(within, { namespace: "b", name: "n" });

    expect(anywhere).to.deep.equal({ namespace: "a", fieldSelector: "type=x,metadata.name=n" });
    expect(elsewhere.namespace).to.equal("b");
  });
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

describe("queryString of half a character", () => {
  it("is refused", () => {
    expect(() => queryString({ labelSelector: "a=\ud800" }))
      .to.throw("labelSelector is no valid text")
      .and.to.include({ code: 0, reason: "BadRequest" });
  });
});
