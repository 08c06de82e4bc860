import type { PolicyRule } from "@drover/crds";
import { expect } from "chai";
import { accessOf, aRule, type Held } from "../access/held.test.support.ts";
import { aType, type TypeWish } from "../types/a-type.test.support.ts";
import { disallowedMethods } from "./disallowed.ts";
import { createTypes, isHidden, methodsOf } from "./methods.ts";

const pod: TypeWish = { kind: "Pod" };
const node: TypeWish = { kind: "Node", scope: "Cluster" };
const namespace: TypeWish = { kind: "Namespace", scope: "Cluster" };
const review: TypeWish = { kind: "Review", scope: "Cluster", verbs: ["create"] };

/** A rule of Rancher's group. */
function ranchers(verbs: string, resources: string): PolicyRule {
  return { ...aRule(verbs, resources), apiGroups: ["management.cattle.io", "project.cattle.io"] };
}

function rancher(kind: string, plural: string): TypeWish {
  return { group: "management.cattle.io", version: "v3", kind, plural, scope: "Cluster" };
}

const everything = aRule("*", "*");

describe("methodsOf", () => {
  for (const { name, type, held, resource, collection } of [
    {
      name: "hides a type from who has no right",
      type: pod,
      held: {},
      resource: "",
      collection: "",
    },
    {
      name: "reads for get",
      type: pod,
      held: { "": [aRule("get", "pods")] },
      ...{ resource: "GET", collection: "GET" },
    },
    {
      name: "reads for list",
      type: pod,
      held: { "": [aRule("list", "pods")] },
      ...{ resource: "GET", collection: "GET" },
    },
    {
      name: "does not read for watch",
      type: pod,
      held: { "": [aRule("watch", "pods")] },
      ...{ resource: "", collection: "" },
    },
    {
      name: "creates in the collection",
      type: pod,
      held: { "": [aRule("create", "pods")] },
      ...{ resource: "", collection: "POST" },
    },
    {
      name: "replaces and patches for update",
      type: pod,
      held: { "": [aRule("update", "pods")] },
      ...{ resource: "PUT PATCH", collection: "" },
    },
    {
      name: "patches for patch",
      type: pod,
      held: { "": [aRule("patch", "pods")] },
      ...{ resource: "PATCH", collection: "" },
    },
    {
      name: "deletes",
      type: pod,
      held: { "": [aRule("delete", "pods")] },
      ...{ resource: "DELETE", collection: "" },
    },
    {
      name: "does everything",
      type: pod,
      held: { "": [everything] },
      ...{ resource: "GET PUT PATCH DELETE", collection: "GET POST" },
    },
    {
      name: "does only what the server does",
      type: review,
      held: { "": [everything] },
      ...{ resource: "", collection: "POST" },
    },
    {
      name: "counts rights in one namespace",
      type: pod,
      held: { a: [aRule("get,delete", "pods")] },
      ...{ resource: "GET DELETE", collection: "GET" },
    },
    {
      name: "counts rights to one object",
      type: pod,
      held: { a: [aRule("get", "pods", "one")] },
      ...{ resource: "GET", collection: "GET" },
    },
    {
      name: "does not count rights in a namespace to what is outside of them",
      type: node,
      held: { a: [aRule("*", "nodes")] },
      ...{ resource: "", collection: "" },
    },
    {
      name: "counts rights to one object outside of namespaces",
      type: node,
      held: { "": [aRule("get,update", "nodes", "one")] },
      ...{ resource: "GET PUT PATCH", collection: "GET" },
    },
    {
      name: "lets everybody list namespaces",
      type: namespace,
      held: {},
      ...{ resource: "", collection: "GET" },
    },
    {
      name: "reads a namespace in which something may be read",
      type: namespace,
      held: { a: [aRule("list", "pods")] },
      ...{ resource: "GET", collection: "GET" },
    },
    {
      name: "does not read a namespace in which something may be written",
      type: namespace,
      held: { a: [aRule("create", "pods")] },
      ...{ resource: "", collection: "GET" },
    },
    {
      name: "reads a namespace as its own role allows",
      type: namespace,
      held: { a: [aRule("get,update", "namespaces")] },
      ...{ resource: "GET PUT PATCH", collection: "GET" },
    },
    {
      name: "lets everybody list clusters",
      type: rancher("Cluster", "clusters"),
      held: {},
      ...{ resource: "", collection: "GET" },
    },
    {
      name: "lets everybody list projects",
      type: { ...rancher("Project", "projects"), scope: "Namespaced" } as const,
      held: {},
      ...{ resource: "", collection: "GET" },
    },
    {
      name: "blocks what is written elsewhere",
      type: rancher("Cluster", "clusters"),
      held: { "": [ranchers("*", "*")] },
      resource: "GET blocked-PUT blocked-PATCH blocked-DELETE",
      collection: "GET blocked-POST",
    },
    {
      name: "does not say of what is not allowed that it is blocked",
      type: rancher("Cluster", "clusters"),
      held: { "": [ranchers("get", "clusters")] },
      ...{ resource: "GET", collection: "GET" },
    },
    {
      name: "lets settings be created and replaced",
      type: rancher("Setting", "settings"),
      held: { "": [ranchers("*", "*")] },
      resource: "GET PUT blocked-PATCH blocked-DELETE",
      collection: "GET POST",
    },
    {
      name: "blocks the reading of tokens",
      type: rancher("Token", "tokens"),
      held: { "": [ranchers("*", "*")] },
      resource: "blocked-GET blocked-PUT blocked-PATCH blocked-DELETE",
      collection: "blocked-GET blocked-POST",
    },
  ] satisfies readonly {
    readonly name: string;
    readonly type: TypeWish;
    readonly held: Held;
    readonly resource: string;
    readonly collection: string;
  }[]) {
    it(name, () => {
      const methods = methodsOf(aType(type), accessOf(held));

      expect(methods.resourceMethods.join(" ")).to.equal(resource);
      expect(methods.collectionMethods.join(" ")).to.equal(collection);
      expect(isHidden(methods)).to.equal(resource === "" && collection === "");
    });
  }
});

describe("disallowedMethods", () => {
  const [most, all] = ["POST PUT PATCH DELETE", "GET POST PUT PATCH DELETE"];
  for (const { plural, expected } of [
    ...["clusters", "nodes", "kontainerdrivers"].map((plural) => ({ plural, expected: most })),
    { plural: "features", expected: "POST PATCH DELETE" },
    { plural: "settings", expected: "PATCH DELETE" },
    ...["preferences", "templatecontents", "templates", "templateversions", "tokens"].map(
      (plural) => ({ plural, expected: all }),
    ),
    ...[
      ...["clusterproxyconfigs", "clusterroletemplatebindings", "globalrolebindings"],
      ...["globalroles", "oidcclients", "podsecurityadmissionconfigurationtemplates", "projects"],
      ...["projectroletemplatebindings", "proxyendpoints", "users"],
    ].map((plural) => ({ plural, expected: "" })),
  ]) {
    it(`are ${expected || "none"} of ${plural}`, () => {
      expect(disallowedMethods("management.cattle.io", plural).join(" ")).to.equal(expected);
      expect(disallowedMethods("project.cattle.io", plural).join(" ")).to.equal(expected);
      expect(disallowedMethods("example.com", plural).join(" ")).to.equal("");
    });
  }
});

describe("createTypes", () => {
  const base = "https://drover.test/prefix";
  for (const { name, type, held, expected } of [
    {
      name: "names where to create",
      type: pod,
      held: { "": [everything] },
      expected: { pod: `${base}/v1/pods` },
    },
    {
      name: "is empty without the right",
      type: pod,
      held: { "": [aRule("get", "*")] },
      expected: {},
    },
    {
      name: "is empty where it is blocked",
      type: rancher("Cluster", "clusters"),
      held: { "": [ranchers("*", "*")] },
      expected: {},
    },
  ]) {
    it(name, () => {
      const made = aType(type);

      const types = createTypes(made, accessOf(held), base);

      expect(types).to.deep.equal(expected);
    });
  }
});
