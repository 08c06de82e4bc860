import { expect } from "chai";
import { everything } from "../access/held-access.ts";
import { Links } from "./links.ts";
import {
  aContext,
  accessOf,
  aType,
  namespaces,
  nodes,
  pods,
  projects,
  settings,
  tokens,
  users,
} from "./testing.test.support.ts";

const thing = { namespace: "ns", name: "thing", isFixed: false };
const outside = { ...thing, namespace: "" };

function headOf(
  type: typeof pods,
  identity = thing,
  access = everything,
): Readonly<Record<string, unknown>> {
  return JSON.parse(`${new Links(aContext(type, { access })).headOf(identity)}}`);
}

const self = "https://host/v1/pods/ns/thing";
const view = "https://host/api/v1/namespaces/ns/pods/thing";
const deployment = aType({ group: "apps", kind: "Deployment", plural: "deployments" });

describe("Links", () => {
  it("says who an item is", () => {
    expect(headOf(pods)).to.include({ id: "ns/thing", type: "pod" });
    expect(headOf(nodes, outside)).to.include({ id: "thing", type: "node" });
    expect(headOf(deployment)).to.include({ type: "apps.deployment" });
  });

  for (const { title, held, expected } of [
    {
      title: "everything",
      held: { "": ["* *"] },
      expected: { self, update: self, remove: self, patch: self, view },
    },
    { title: "nothing", held: {}, expected: { self } },
    { title: "list alone", held: { "": ["list pods"] }, expected: { self } },
    { title: "get", held: { "": ["get pods"] }, expected: { self, view } },
    { title: "update", held: { "": ["update pods"] }, expected: { self, update: self } },
    { title: "patch", held: { "": ["patch pods"] }, expected: { self, patch: self } },
    { title: "delete", held: { "": ["delete pods"] }, expected: { self, remove: self } },
    { title: "deletecollection", held: { "": ["deletecollection pods"] }, expected: { self } },
    {
      title: "rights in its namespace",
      held: { ns: ["get,delete pods"] },
      expected: { self, remove: self, view },
    },
    { title: "rights in another namespace", held: { other: ["* pods"] }, expected: { self } },
    {
      title: "rights by its name",
      held: { ns: ["update pods/thing"] },
      expected: { self, update: self },
    },
    {
      title: "rights by its name everywhere",
      held: { "": ["get pods/thing"] },
      expected: { self, view },
    },
    { title: "rights by another name", held: { ns: ["update pods/other"] }, expected: { self } },
    { title: "rights of another resource", held: { "": ["* nodes"] }, expected: { self } },
  ]) {
    it(`shows what somebody may do who has ${title}`, () => {
      expect(headOf(pods, thing, accessOf(held)).links).to.deep.equal(expected);
    });
  }

  for (const { title, type, identity, expected } of [
    {
      title: "of the core group",
      type: nodes,
      identity: outside,
      expected: "https://host/api/v1/nodes/thing",
    },
    {
      title: "of namespaces",
      type: namespaces,
      identity: outside,
      expected: "https://host/api/v1/namespaces/thing",
    },
    {
      title: "of another group",
      type: deployment,
      identity: thing,
      expected: "https://host/apis/apps/v1/namespaces/ns/deployments/thing",
    },
    {
      title: "of Rancher's",
      type: users,
      identity: outside,
      expected: "https://host/v1/management.cattle.io.users/thing",
    },
    {
      title: "of Rancher's in a namespace",
      type: projects,
      identity: thing,
      expected: "https://host/v1/management.cattle.io.projects/ns/thing",
    },
    {
      title: "of Rancher's that is not read",
      type: tokens,
      identity: outside,
      expected: "blocked",
    },
  ]) {
    it(`shows the view ${title}`, () => {
      expect(headOf(type, identity).links).to.include({ view: expected });
    });
  }

  for (const { type, expected } of [
    { type: users, expected: [] },
    { type: projects, expected: [] },
    { type: settings, expected: ["patch", "remove"] },
    { type: tokens, expected: ["patch", "remove", "update", "view"] },
    {
      type: aType({
        group: "management.cattle.io",
        kind: "Feature",
        plural: "features",
        version: "v3",
      }),
      expected: ["patch", "remove"],
    },
    {
      type: aType({ group: "project.cattle.io", kind: "App", plural: "apps" }),
      expected: ["patch", "remove", "update"],
    },
    { type: aType({ group: "catalog.cattle.io", kind: "App", plural: "apps" }), expected: [] },
  ]) {
    it(`blocks ${expected.join(", ") || "nothing"} of ${type.pluralName}`, () => {
      const links = Object.entries(headOf(type).links ?? {});

      expect(links.filter(([, url]) => url === "blocked").map(([key]) => key)).to.have.members(
        expected,
      );
    });
  }

  it("blocks nothing for somebody without the right", () => {
    const links = headOf(tokens, outside, accessOf({ "": ["delete tokens"] })).links;

    expect(links).to.deep.equal({
      self: "https://host/v1/management.cattle.io.tokens/thing",
      remove: "blocked",
    });
  });

  for (const { verbs, expected } of [
    { verbs: ["get", "list"], expected: ["self", "view"] },
    { verbs: ["delete"], expected: ["remove", "self", "view"] },
    { verbs: ["update"], expected: ["patch", "self", "update", "view"] },
    { verbs: ["patch"], expected: ["patch", "self", "view"] },
  ]) {
    it(`has the links of a type that is served with ${verbs}`, () => {
      const type = aType({ group: "", kind: "Pod", plural: "pods" }, { verbs });

      expect(headOf(type).links).to.have.all.keys(expected);
    });
  }

  it("has no update of what nobody changes", () => {
    expect(headOf(settings, { ...outside, isFixed: true }).links).not.to.have.property("update");
    expect(headOf(settings, outside).links).to.have.property("update");
  });

  it("writes names that JSON escapes", () => {
    const name = 'a"b\\c\u2028é<';
    const bindings = aType({ group: "rbac.authorization.k8s.io", kind: "Role", plural: "roles" });

    expect(headOf(bindings, { ...thing, name })).to.deep.include({ id: `ns/${name}` });
  });

  it("escapes what a name has that means something in a URL, and nothing else", () => {
    const roles = aType({
      ...{ group: "rbac.authorization.k8s.io", version: "v1" },
      ...{ kind: "ClusterRole", plural: "clusterroles" },
    });
    const linksOf = (name: string): object => Object(headOf(roles, { ...outside, name }).links);
    const odd = 'a?b#c\\d e"f\u2028é<|>^`{}:@=&';

    for (const url of Object.values(linksOf(odd))) {
      const { pathname, search, hash } = new URL(url);
      expect(decodeURIComponent(pathname).endsWith(`clusterroles/${odd}`)).to.equal(true);
      expect([search, hash]).to.deep.equal(["", ""]);
    }
    expect(linksOf("system:controller")).to.include({
      self: "https://host/v1/rbac.authorization.k8s.io.clusterroles/system:controller",
    });
    expect(linksOf("\ud800")).to.have.property("self").that.contains("%EF%BF%BD");
  });
});
