import { expect } from "chai";
import type { PolicyRule } from "kopf-ts/kinds";
import { covers } from "./covers.ts";
import { RulesTooLargeError } from "./errors.ts";

const core = { apiGroups: [""] };
const readPods = { verbs: ["get", "list"], ...core, resources: ["pods"] };
const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };

interface Case {
  readonly name: string;
  readonly owner: readonly PolicyRule[];
  readonly wanted: readonly PolicyRule[];
  /** Nothing missing unless told. */
  readonly missing?: readonly PolicyRule[];
}

function table(cases: readonly Case[]): void {
  for (const { name, owner, wanted, missing = [] } of cases) {
    it(name, () => expect(covers(owner, wanted)).to.deep.equal(missing));
  }
}

/** Whether an owner of this one list of resources covers this one resource. */
function resourceTable(cases: readonly [owner: string, wanted: string, covered: boolean][]): void {
  for (const [owner, wanted, covered] of cases) {
    it(`${owner} ${covered ? "covers" : "does not cover"} ${wanted}`, () => {
      const rule = (resource: string) => [{ verbs: ["get"], ...core, resources: [resource] }];

      const missing = covers(rule(owner), rule(wanted));

      expect(missing).to.deep.equal(covered ? [] : rule(wanted));
    });
  }
}

function urlTable(cases: readonly [owner: string, wanted: string, covered: boolean][]): void {
  for (const [owner, wanted, covered] of cases) {
    it(`${owner} ${covered ? "covers" : "does not cover"} ${wanted}`, () => {
      const rule = (url: string) => [{ verbs: ["get"], nonResourceURLs: [url] }];

      const missing = covers(rule(owner), rule(wanted));

      expect(missing).to.deep.equal(covered ? [] : rule(wanted));
    });
  }
}

describe("covers", () => {
  describe("rules as a whole", () => {
    table([
      { name: "wants nothing of nobody", owner: [], wanted: [] },
      { name: "gives nothing without rules", owner: [], wanted: [readPods], missing: [readPods] },
      { name: "covers a rule by itself", owner: [readPods], wanted: [readPods] },
      {
        name: "covers everything by wildcards",
        owner: [everything],
        wanted: [readPods, everything],
      },
      {
        name: "does not cover URLs by wildcards on resources",
        owner: [everything],
        wanted: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
        missing: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
      },
      {
        name: "does not cover resources by wildcards on URLs",
        owner: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        wanted: [readPods],
        missing: [readPods],
      },
      {
        name: "puts several rules of the owner together",
        owner: [
          { verbs: ["get"], ...core, resources: ["pods", "secrets"] },
          { verbs: ["list"], ...core, resources: ["secrets"] },
          { verbs: ["list"], ...core, resources: ["pods"] },
        ],
        wanted: [{ verbs: ["get", "list"], ...core, resources: ["pods", "secrets"] }],
      },
      {
        name: "does not mix fields of several rules of the owner",
        owner: [
          { verbs: ["get"], ...core, resources: ["pods"] },
          { verbs: ["delete"], apiGroups: ["apps"], resources: ["deployments"] },
        ],
        wanted: [{ verbs: ["delete"], ...core, resources: ["pods"] }],
        missing: [{ verbs: ["delete"], ...core, resources: ["pods"] }],
      },
      {
        name: "names only what is missing, in as few rules as it can",
        owner: [{ verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods"] }],
        wanted: [{ verbs: ["get", "list", "delete"], ...core, resources: ["pods", "secrets"] }],
        missing: [
          { verbs: ["get", "list", "delete"], ...core, resources: ["secrets"] },
          { verbs: ["delete"], ...core, resources: ["pods"] },
        ],
      },
      {
        name: "names what is missing in the order it was wanted",
        owner: [readPods],
        wanted: [{ verbs: ["get"], nonResourceURLs: ["/b"] }, readPods, everything],
        missing: [{ verbs: ["get"], nonResourceURLs: ["/b"] }, everything],
      },
      {
        name: "wants a value once that a rule lists twice",
        owner: [],
        wanted: [{ verbs: ["get", "get"], ...core, resources: ["pods", "pods"] }],
        missing: [{ verbs: ["get"], ...core, resources: ["pods"] }],
      },
    ]);
  });

  describe("verbs and groups", () => {
    table([
      {
        name: "takes * as every verb",
        owner: [{ ...readPods, verbs: ["*"] }],
        wanted: [{ ...readPods, verbs: ["impersonate", "*"] }],
      },
      {
        name: "never covers verb * by listing verbs",
        owner: [{ ...readPods, verbs: ["get", "list", "watch", "create", "update", "patch"] }],
        wanted: [{ ...readPods, verbs: ["*"] }],
        missing: [{ ...readPods, verbs: ["*"] }],
      },
      {
        name: "takes * as every group, the core one too",
        owner: [{ ...readPods, apiGroups: ["*"] }],
        wanted: [{ ...readPods, apiGroups: ["", "apps", "*"] }],
      },
      {
        name: "takes the core group for a group like others",
        owner: [{ ...readPods, apiGroups: [""] }],
        wanted: [{ ...readPods, apiGroups: ["apps", "*"] }],
        missing: [{ ...readPods, apiGroups: ["apps", "*"] }],
      },
      {
        name: "knows no patterns but a lone *",
        owner: [{ ...readPods, apiGroups: ["*.cattle.io"], verbs: ["g*"] }],
        wanted: [{ ...readPods, apiGroups: ["fleet.cattle.io"], verbs: ["get"] }],
        missing: [{ ...readPods, apiGroups: ["fleet.cattle.io"], verbs: ["get"] }],
      },
      {
        name: "minds case",
        owner: [{ ...readPods, verbs: ["GET"] }],
        wanted: [{ ...readPods, verbs: ["get"] }],
        missing: [{ ...readPods, verbs: ["get"] }],
      },
    ]);
  });

  describe("resources", () => {
    resourceTable([
      ["*", "pods", true],
      ["*", "pods/log", true],
      ["*", "*/log", true],
      ["*", "*", true],
      ["pods", "pods", true],
      ["pods", "*", false],
      ["pods", "pods/log", false],
      ["pods/log", "pods", false],
      ["pods/log", "pods/log", true],
      ["pods/log", "pods/exec", false],
      ["pods/log", "*/log", false],
      ["*/log", "pods/log", true],
      ["*/log", "*/log", true],
      ["*/log", "log", false],
      ["*g", "log", false],
      ["*/log", "pods", false],
      ["*/log", "pods/login", false],
      ["*/log", "*", false],
      ["pods/*", "pods/log", false],
      ["pods/*", "pods", false],
      ["*/*", "pods/log", false],
      ["*/*", "pods/*", true],
      ["*/proxy/x", "services/proxy/x", true],
      ["*/x", "services/proxy/x", false],
    ]);
  });

  describe("names", () => {
    const named = (...resourceNames: string[]) => [{ ...readPods, resourceNames }];
    table([
      { name: "covers a name by all names", owner: [readPods], wanted: named("a") },
      { name: "covers some of the names", owner: named("a", "b"), wanted: named("b") },
      {
        name: "reports other names",
        owner: named("a"),
        wanted: named("a", "b"),
        missing: named("b"),
      },
      { name: "reports all names", owner: named("a"), wanted: [readPods], missing: [readPods] },
      { name: "takes * for a name", owner: named("*"), wanted: named("a"), missing: named("a") },
      {
        name: "takes the empty name for a name",
        owner: named(""),
        wanted: [readPods],
        missing: [readPods],
      },
      { name: "takes no names for all names", owner: named(), wanted: [readPods] },
      {
        name: "collects names of several rules",
        owner: [...named("a"), ...named("b")],
        wanted: named("b", "a"),
      },
    ]);
  });

  describe("URLs", () => {
    urlTable([
      ["*", "/healthz", true],
      ["*", "/*", true],
      ["*", "*", true],
      ["/healthz", "/healthz", true],
      ["/healthz", "/healthz/", false],
      ["/healthz", "/healthz*", false],
      ["/healthz/*", "/healthz/etcd", true],
      ["/healthz/*", "/healthz/", true],
      ["/healthz/*", "/healthz", false],
      ["/healthz/*", "/healthz/etcd/*", true],
      ["/healthz/*", "/healthz*", false],
      ["/healthz*", "/healthz/*", true],
      ["/healthz*", "/healthzz", true],
      ["/healthz**", "/healthz", true],
      ["/*/healthz", "/x/healthz", false],
      ["/Healthz", "/healthz", false],
    ]);
    table([
      {
        name: "needs the verb for the URL",
        owner: [
          { verbs: ["get"], nonResourceURLs: ["/a*"] },
          { verbs: ["post"], nonResourceURLs: ["/b"] },
        ],
        wanted: [{ verbs: ["get", "post"], nonResourceURLs: ["/a", "/b"] }],
        missing: [
          { verbs: ["get"], nonResourceURLs: ["/b"] },
          { verbs: ["post"], nonResourceURLs: ["/a"] },
        ],
      },
    ]);
  });

  describe("rules that are not valid", () => {
    table([
      { name: "wants nothing without verbs", owner: [], wanted: [{ ...readPods, verbs: [] }] },
      {
        name: "wants nothing without groups",
        owner: [],
        wanted: [{ verbs: ["get"], resources: ["pods"] }],
      },
      { name: "wants nothing without resources", owner: [], wanted: [{ verbs: ["get"], ...core }] },
      {
        name: "takes a rule on resources and URLs as two",
        owner: [readPods],
        wanted: [{ ...readPods, nonResourceURLs: ["/a"] }],
        missing: [{ verbs: ["get", "list"], nonResourceURLs: ["/a"] }],
      },
      {
        name: "gives no URLs by a rule that has names",
        owner: [{ ...readPods, resourceNames: ["a"], nonResourceURLs: ["/a"] }],
        wanted: [{ verbs: ["get"], nonResourceURLs: ["/a"] }],
        missing: [{ verbs: ["get"], nonResourceURLs: ["/a"] }],
      },
    ]);
  });

  describe("large rules", () => {
    const many = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}`);

    it("compares rules that stand for a trillion single requests", () => {
      const rule = {
        verbs: many(1_000, "v"),
        apiGroups: many(1_000, "g"),
        resources: many(1_000, "r"),
        resourceNames: many(1_000, "n"),
      };

      const missing = covers([{ ...rule, verbs: rule.verbs.slice(1) }], [rule]);

      expect(missing).to.deep.equal([{ ...rule, verbs: ["v0"] }]);
    });

    it("finds what a user with many bindings lacks", () => {
      const owner = many(5_000, "r").map((resource) => ({ ...readPods, resources: [resource] }));
      const wanted = many(300, "r").map((resource) => ({ ...readPods, resources: [resource] }));

      const missing = covers(owner, [...wanted, { ...readPods, resources: ["secrets"] }]);

      expect(missing).to.deep.equal([{ ...readPods, resources: ["secrets"] }]);
    });

    it("reads URLs of many stars", () => {
      const nonResourceURLs = [`${"*".repeat(64_000)}x*`];

      const began = performance.now();

      const missing = covers([{ nonResourceURLs, verbs: ["get"] }], [readPods]);

      expect(missing).to.deep.equal([readPods]);
      expect(performance.now() - began).to.be.below(500);
    });

    it("gives up on rules made to be slow", () => {
      const half = (values: readonly string[], bit: number) =>
        values.filter((_, index) => (index >> bit) % 2 === 0);
      const rule = {
        verbs: many(1_024, "v"),
        apiGroups: many(1_024, "g"),
        resources: many(1_024, "r"),
        resourceNames: many(1_024, "n"),
      };
      const owner = many(40, "").map((_, bit) => ({
        verbs: half(rule.verbs, bit % 10),
        apiGroups: half(rule.apiGroups, (bit + 3) % 10),
        resources: half(rule.resources, (bit + 5) % 10),
        resourceNames: half(rule.resourceNames, (bit + 7) % 10),
      }));

      expect(() => covers(owner, [rule])).to.throw(RulesTooLargeError);
    });
  });
});
