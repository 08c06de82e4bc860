import { keysOf } from "@drover/platform";
import { expect } from "chai";
import type { GroupResource, Reach } from "./access.ts";
import { isNothing, nothing, reaches } from "./access.ts";
import { accessOf, aRule as rule } from "./held.test.support.ts";
import { everything } from "./held-access.ts";

const pods: GroupResource = { group: "", plural: "pods" };
const namespaces: GroupResource = { group: "", plural: "namespaces" };
const deployments: GroupResource = { group: "apps", plural: "deployments" };

/** A reach as data. */
const told = (reach: Reach): unknown =>
  reach === "all"
    ? "all"
    : {
        namespaces: [...reach.namespaces].sort(),
        names: Object.fromEntries([...reach.names].map(([at, names]) => [at, [...names].sort()])),
      };

describe("what somebody may do", () => {
  for (const { name, held, ask, expected } of [
    { name: "the very rule", held: { "": [rule("get", "pods")] }, ask: ["get"], expected: true },
    { name: "another verb", held: { "": [rule("get", "pods")] }, ask: ["list"], expected: false },
    { name: "any verb", held: { "": [rule("*", "pods")] }, ask: ["list"], expected: true },
    { name: "any resource", held: { "": [rule("get", "*")] }, ask: ["get"], expected: true },
    {
      name: "the resource of another group",
      held: { "": [{ ...rule("get", "pods"), apiGroups: ["apps"] }] },
      ask: ["get"],
      expected: false,
    },
    {
      name: "any group",
      held: { "": [{ ...rule("get", "pods"), apiGroups: ["*"] }] },
      ask: ["get"],
      expected: true,
    },
    {
      name: "its subresource only",
      held: { "": [rule("get", "pods/log")] },
      ask: ["get"],
      expected: false,
    },
    { name: "nothing", held: {}, ask: ["get"], expected: false },
    {
      name: "the namespace that is asked about",
      held: { a: [rule("get", "pods")] },
      ask: ["get", "a"],
      expected: true,
    },
    {
      name: "one namespace, all asked",
      held: { a: [rule("get", "pods")] },
      ask: ["get"],
      expected: false,
    },
    {
      name: "one namespace, another asked",
      held: { a: [rule("get", "pods")] },
      ask: ["get", "b"],
      expected: false,
    },
    {
      name: "everything, one namespace asked",
      held: { "": [rule("get", "pods")] },
      ask: ["get", "b", "x"],
      expected: true,
    },
    {
      name: "one name, that one asked",
      held: { a: [rule("get", "pods", "x")] },
      ask: ["get", "a", "x"],
      expected: true,
    },
    {
      name: "one name, any asked",
      held: { a: [rule("get", "pods", "x")] },
      ask: ["get", "a"],
      expected: false,
    },
    {
      name: "one name in every namespace",
      held: { "": [rule("get", "pods", "x")] },
      ask: ["get", "a", "x"],
      expected: true,
    },
    {
      name: "one name in another namespace",
      held: { b: [rule("get", "pods", "x")] },
      ask: ["get", "a", "x"],
      expected: false,
    },
  ] as const) {
    it(`${expected ? "follows" : "does not follow"} from ${name}`, () => {
      const [verb, namespace, object] = ask;
      expect(accessOf(held).may(verb, pods, namespace, object)).to.equal(expected);
    });
  }

  for (const { held, plural, expected } of [
    { held: "pods/log", plural: "pods/log", expected: true },
    { held: "*/log", plural: "pods/log", expected: true },
    { held: "*", plural: "pods/log", expected: true },
    { held: "pods", plural: "pods/log", expected: false },
    { held: "pods/*", plural: "pods/log", expected: false },
    { held: "*/log", plural: "pods", expected: false },
    { held: "*/status", plural: "pods/log", expected: false },
  ]) {
    it(`${expected ? "takes" : "does not take"} ${held} for ${plural}`, () => {
      const access = accessOf({ "": [rule("get", held)] });

      expect(access.may("get", { group: "", plural })).to.equal(expected);
    });
  }

  for (const { path, urls, expected } of [
    { path: "/healthz", urls: ["/healthz"], expected: true },
    { path: "/healthz/etcd", urls: ["/healthz"], expected: false },
    { path: "/healthz/etcd", urls: ["/healthz/*"], expected: true },
    { path: "/healthz", urls: ["/healthz*"], expected: true },
    { path: "/anything", urls: ["*"], expected: true },
    { path: "/a*b", urls: ["/a*"], expected: true },
    { path: "/version", urls: [], expected: false },
  ]) {
    it(`${expected ? "visits" : "does not visit"} ${path} with ${urls.join(" ") || "no URLs"}`, () => {
      const rules = [{ verbs: ["get"], nonResourceURLs: urls }];

      expect(accessOf({ "": rules }).mayVisit("get", path)).to.equal(expected);
      expect(accessOf({ "": rules }).mayVisit("post", path)).to.equal(false);
      expect(accessOf({ a: rules }).mayVisit("get", path), "by a RoleBinding").to.equal(false);
    });
  }
});

describe("what somebody reaches", () => {
  for (const { name, held, verbs = ["list"], resource = pods, expected } of [
    {
      name: "nothing without rights",
      held: {},
      expected: { namespaces: [], names: {} },
    },
    { name: "all by a ClusterRoleBinding", held: { "": [rule("list", "pods")] }, expected: "all" },
    {
      name: "namespaces by RoleBindings",
      held: { a: [rule("list", "pods")], b: [rule("*", "*")], c: [rule("get", "pods")] },
      expected: { namespaces: ["a", "b"], names: {} },
    },
    {
      name: "namespaces of any of several verbs",
      held: { a: [rule("list", "pods")], c: [rule("get", "pods")] },
      verbs: ["get", "list"],
      expected: { namespaces: ["a", "c"], names: {} },
    },
    {
      name: "names beside namespaces",
      held: {
        "": [rule("list", "pods", "everywhere")],
        a: [rule("list", "pods", "x", "y"), rule("list", "pods", "z")],
        b: [rule("list", "pods")],
      },
      expected: { namespaces: ["b"], names: { "": ["everywhere"], a: ["x", "y", "z"] } },
    },
    {
      name: "the namespace itself by a RoleBinding in it",
      held: {
        a: [rule("list", "namespaces")],
        b: [rule("list", "namespaces", "b", "other")],
        c: [rule("list", "namespaces", "other")],
        d: [rule("list", "pods")],
      },
      resource: namespaces,
      expected: {
        namespaces: ["a"],
        names: { "": ["a", "b"], b: ["b", "other"], c: ["other"] },
      },
    },
  ] as const) {
    it(`is ${name}`, () => {
      expect(told(accessOf(held).reach(verbs, resource))).to.deep.equal(expected);
    });
  }

  it("is the same object for the same question", () => {
    const access = accessOf({ a: [rule("list", "pods")], b: [rule("*", "*")] });

    expect(access.reach(["list"], pods)).to.equal(access.reach(["list"], pods));
    expect(access.reach(["list"], deployments)).to.equal(nothing);
    expect(access.listed(pods)).to.equal(access.listed(pods));
  });

  it("shares sets of namespaces among questions with the same answer", () => {
    const access = accessOf({ a: [rule("*", "pods,services")], b: [rule("*", "*")] });
    const [some, others] = [pods, { group: "", plural: "services" }].map((resource) =>
      access.reach(["list"], resource),
    );

    expect(some).to.not.equal("all");
    expect(some !== "all" && others !== "all" && some?.namespaces === others?.namespaces).to.equal(
      true,
    );
  });

  for (const { name, held, resource = pods, expected } of [
    {
      name: "names that get allows beside what list allows",
      held: { a: [rule("list", "pods")], b: [rule("get", "pods", "x")], c: [rule("get", "pods")] },
      expected: { namespaces: ["a"], names: { b: ["x"] } },
    },
    {
      name: "names even where get allows all",
      held: { "": [rule("get", "pods"), rule("get", "pods", "x")] },
      expected: { namespaces: [], names: { "": ["x"] } },
    },
    {
      name: "namespaces in which something may be read, for somebody without rights to namespaces",
      held: {
        a: [rule("list", "pods")],
        b: [rule("get", "secrets", "x")],
        c: [rule("create", "pods")],
      },
      resource: namespaces,
      expected: { namespaces: [], names: { "": ["a", "b"] } },
    },
    {
      name: "only the namespaces of a right to some",
      held: { "": [rule("get", "namespaces", "z")], a: [rule("list", "pods")] },
      resource: namespaces,
      expected: { namespaces: [], names: { "": ["z"] } },
    },
  ] as const) {
    it(`lists ${name}`, () => {
      expect(told(accessOf(held).listed(resource))).to.deep.equal(expected);
    });
  }

  it("is not what somebody asked about with a verb of that name", () => {
    const access = accessOf({ a: [rule("list", "pods")] });

    expect(told(access.reach(["listed"], pods))).to.deep.equal({ namespaces: [], names: {} });
    expect(told(access.listed(pods))).to.deep.equal({ namespaces: ["a"], names: {} });
    expect(access.may("listed", pods, "a")).to.equal(false);
  });

  it("is nothing of a cluster by RoleBindings", () => {
    const reach = accessOf({ a: [rule("*", "*")] }).reach(["list"], { group: "", plural: "nodes" });

    expect(isNothing(reach, "Cluster")).to.equal(true);
    expect(isNothing(reach, "Namespaced")).to.equal(false);
    expect(reaches(reach, "", "node-1")).to.equal(false);
  });

  it("is all for members of system:masters", () => {
    expect(everything.reach(["list"], pods)).to.equal("all");
    expect(everything.may("delete", pods)).to.equal(true);
    expect(everything.mayVisit("get", "/")).to.equal(true);
    expect(keysOf({ username: "a", groups: ["g", "g"] })).to.deep.equal(["user:a", "group:g"]);
  });
});

describe("the fingerprint of rights", () => {
  const listPods = [rule("list,get", "pods,services"), rule("get", "secrets", "x")];

  for (const { name, a, b, expected } of [
    {
      name: "the order of rules and values",
      a: { x: listPods },
      b: { x: [rule("get", "secrets", "x"), rule("get,list", "services,pods")] },
      expected: true,
    },
    {
      name: "what a namespace adds to everywhere",
      a: { "": listPods },
      b: { "": listPods, x: listPods },
      expected: true,
    },
    { name: "a namespace", a: { x: listPods }, b: { x: listPods, y: listPods }, expected: false },
    { name: "another namespace", a: { x: listPods }, b: { y: listPods }, expected: false },
    {
      name: "a verb",
      a: { x: [rule("get", "pods")] },
      b: { x: [rule("get,list", "pods")] },
      expected: false,
    },
    {
      name: "a name",
      a: { x: [rule("get", "pods")] },
      b: { x: [rule("get", "pods", "x")] },
      expected: false,
    },
    {
      name: "everywhere instead of a namespace",
      a: { x: listPods },
      b: { "": listPods },
      expected: false,
    },
    {
      name: "where a name stands",
      a: { x: [rule("get", "pods,x")] },
      b: { x: [rule("get", "pods", "x")] },
      expected: false,
    },
  ] as const) {
    it(`${expected ? "does not depend" : "depends"} on ${name}`, () => {
      const [one, other] = [accessOf(a), accessOf(b, "group:g")];

      expect(one.fingerprint === other.fingerprint).to.equal(expected);
    });
  }
});
