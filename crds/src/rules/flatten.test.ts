import { expect } from "chai";
import type { PolicyRule } from "kopf-ts/kinds";
import { seededRandom } from "kopf-ts/testing";
import type { RoleTemplate } from "../rbac/role-template.ts";
import { aRoleTemplate } from "../testing/index.ts";
import {
  CircularInheritanceError,
  MissingClusterRoleError,
  MissingRoleTemplateError,
} from "./errors.ts";
import { flatten, type RuleSources } from "./flatten.ts";

const rule = (resource: string): PolicyRule => ({
  verbs: ["get"],
  apiGroups: [""],
  resources: [resource],
});
const rules = (...resources: string[]): readonly PolicyRule[] => resources.map(rule);

/** A template with one rule named like itself. */
function template(name: string, spec: Partial<RoleTemplate> = {}): RoleTemplate {
  return { ...bare(name), rules: rules(name), ...spec };
}

function bare(name: string): RoleTemplate {
  const { apiVersion, kind, metadata } = aRoleTemplate({ metadata: { name } });
  return { apiVersion, kind, metadata };
}

function sourcesOf(
  templates: readonly RoleTemplate[],
  clusterRoles: Readonly<Record<string, readonly PolicyRule[]>> = {},
): RuleSources {
  const byName = new Map(templates.map((each) => [each.metadata.name, each]));
  return { roleTemplate: (name) => byName.get(name), clusterRole: (name) => clusterRoles[name] };
}

/** Templates that inherit as told: `{ a: ["b"], b: [] }`. */
function graph(edges: Readonly<Record<string, readonly string[]>>): readonly RoleTemplate[] {
  return Object.entries(edges).map(([name, roleTemplateNames]) =>
    template(name, { roleTemplateNames }),
  );
}

function flattened(edges: Readonly<Record<string, readonly string[]>>, of = "a"): string {
  const sources = sourcesOf(graph(edges));
  const start = sources.roleTemplate(of) ?? bare(of);
  return flatten(start, sources)
    .map(({ resources = [] }) => resources.join())
    .join(" ");
}

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("flatten", () => {
  describe("of templates with rules of their own", () => {
    const nothing = sourcesOf([]);
    for (const { name, given, expected } of [
      {
        name: "takes the rules as they stand",
        given: template("a", { rules: rules("y", "x") }),
        expected: rules("y", "x"),
      },
      { name: "finds nothing in a template without rules", given: bare("a"), expected: [] },
      {
        name: "does not look at externalRules of one that is not external",
        given: template("a", { externalRules: rules("x") }),
        expected: rules("a"),
      },
      {
        name: "keeps rules that are given twice",
        given: template("a", { rules: rules("x", "x") }),
        expected: rules("x", "x"),
      },
    ]) {
      it(name, () => expect(flatten(given, nothing)).to.deep.equal(expected));
    }
  });

  describe("of external templates", () => {
    const external = (spec: Partial<RoleTemplate> = {}) => ({
      ...bare("a"),
      external: true,
      ...spec,
    });
    const sources = sourcesOf([], { a: rules("backing") });

    for (const { name, given, expected } of [
      {
        name: "takes the rules of the ClusterRole of the same name",
        given: external(),
        expected: rules("backing"),
      },
      {
        name: "prefers externalRules",
        given: external({ externalRules: rules("x") }),
        expected: rules("x"),
      },
      {
        name: "takes empty externalRules for an answer",
        given: external({ externalRules: [] }),
        expected: [],
      },
      {
        name: "adds its own rules",
        given: external({ rules: rules("own") }),
        expected: rules("backing", "own"),
      },
    ]) {
      it(name, () => expect(flatten(given, sources)).to.deep.equal(expected));
    }

    it("needs no ClusterRole when there are externalRules", () => {
      const found = flatten(external({ externalRules: rules("x") }), sourcesOf([]));

      expect(found).to.deep.equal(rules("x"));
    });

    it("refuses to guess without externalRules and ClusterRole", () => {
      const error = thrown(() => flatten(external(), sourcesOf([])));

      expect(error).to.be.instanceOf(MissingClusterRoleError);
      expect(error).to.include({
        clusterRole: "a",
        message: "external role template a has no externalRules, and ClusterRole a does not exist",
      });
    });

    it("takes the rules of an inherited one from its own ClusterRole", () => {
      const project = template("project-owner", { roleTemplateNames: ["admin"] });
      const admin = { ...bare("admin"), external: true };

      const found = flatten(project, sourcesOf([admin], { admin: rules("backing") }));

      expect(found).to.deep.equal(rules("project-owner", "backing"));
    });
  });

  describe("of templates that inherit", () => {
    for (const { name, edges, expected } of [
      { name: "follows a chain", edges: { a: ["b"], b: ["c"], c: [] }, expected: "a b c" },
      {
        name: "goes depth first, in the order of the names",
        edges: { a: ["b", "d"], b: ["c"], c: [], d: [] },
        expected: "a b c d",
      },
      {
        name: "takes one once that two inherit",
        edges: { a: ["b", "c"], b: ["d"], c: ["d"], d: [] },
        expected: "a b d c",
      },
      {
        name: "takes one once that is named twice",
        edges: { a: ["b", "b"], b: [] },
        expected: "a b",
      },
      {
        name: "takes one once that is inherited near and far",
        edges: { a: ["b", "c"], b: ["c"], c: [] },
        expected: "a b c",
      },
    ]) {
      it(name, () => expect(flattened(edges)).to.equal(expected));
    }

    it("reads each template once, however many ways lead to it", () => {
      const layers = Array.from({ length: 30 }, (_, index) => [`l${index}`, `r${index}`]);
      const sources = sourcesOf(
        layers.flatMap((names, index) =>
          names.map((name) => template(name, { roleTemplateNames: layers[index + 1] ?? [] })),
        ),
      );
      let reads = 0;
      const counting: RuleSources = {
        ...sources,
        roleTemplate: (name) => {
          reads++;
          return sources.roleTemplate(name);
        },
      };

      const found = flatten(template("top", { roleTemplateNames: ["l0", "r0"] }), counting);

      expect(found).to.have.length(61);
      expect(reads).to.equal(60);
    });

    it("follows a chain of 20,000", () => {
      const edges = Object.fromEntries(
        Array.from({ length: 20_000 }, (_, index) => [
          `t${index}`,
          index === 19_999 ? [] : [`t${index + 1}`],
        ]),
      );

      const found = flatten(template("a", { roleTemplateNames: ["t0"] }), sourcesOf(graph(edges)));

      expect(found).to.have.length(20_001);
    });

    it("takes the template it is given, not the stored one of that name", () => {
      const sources = sourcesOf([template("a", { rules: rules("old") })]);

      const found = flatten(template("a", { rules: rules("new") }), sources);

      expect(found).to.deep.equal(rules("new"));
    });

    it("leaves the templates as they were", () => {
      const templates = graph({ a: ["b"], b: [] });
      const before = JSON.stringify(templates);

      flatten(template("top", { roleTemplateNames: ["a"] }), sourcesOf(templates));

      expect(JSON.stringify(templates)).to.equal(before);
    });
  });

  describe("of templates that inherit what they cannot", () => {
    for (const { name, edges, path } of [
      { name: "itself", edges: { a: ["a"] }, path: ["a", "a"] },
      { name: "one that inherits it", edges: { a: ["b"], b: ["a"] }, path: ["a", "b", "a"] },
      {
        name: "it over several",
        edges: { a: ["x", "b"], x: [], b: ["x", "c"], c: ["a"] },
        path: ["a", "b", "c", "a"],
      },
      {
        name: "a circle it is no part of",
        edges: { a: ["b"], b: ["c"], c: ["b"] },
        path: ["b", "c", "b"],
      },
    ]) {
      it(`refuses ${name}`, () => {
        const error = thrown(() => flattened(edges));

        expect(error).to.be.instanceOf(CircularInheritanceError);
        expect(error).to.have.deep.property("path", path);
        expect(error).to.include({
          message: `role template ${path[0]} inherits itself: ${path.join(" > ")}`,
        });
      });
    }

    it("keeps the message about a long circle short", () => {
      const edges = Object.fromEntries(
        Array.from({ length: 5_000 }, (_, index) => [`t${index}`, [`t${(index + 1) % 5_000}`]]),
      );

      const error = thrown(() => flattened(edges, "t0"));

      expect(error).to.have.property("message").that.has.length.below(200);
      expect(error).to.have.property("path").that.has.length(5_001);
    });

    it("refuses one that does not exist, and says who inherits it", () => {
      const error = thrown(() => flattened({ a: ["b"], b: ["c", "gone"], c: [] }));

      expect(error).to.be.instanceOf(MissingRoleTemplateError);
      expect(error).to.include({
        roleTemplate: "gone",
        inheritedBy: "b",
        message: "role template b inherits gone, which does not exist",
      });
    });
  });

  describe("of templates by chance", () => {
    for (let seed = 1; seed <= 20; seed++) {
      it(`finds what can be reached, and circles exactly where there are some (seed ${seed})`, () => {
        const random = seededRandom(seed);
        const names = Array.from({ length: 7 }, (_, index) => `t${index}`);
        const edges = Object.fromEntries(
          names.map((name) => [name, names.filter(() => random.chance(0.16))]),
        );

        for (const start of names) {
          const reached = closure(edges, start);
          const circular = [start, ...reached].some((each) => closure(edges, each).has(each));
          if (circular) {
            expect(() => flattened(edges, start)).to.throw(CircularInheritanceError);
          } else {
            const found = flattened(edges, start).split(" ");
            expect(found.toSorted()).to.deep.equal([start, ...reached].toSorted());
          }
        }
      });
    }
  });
});

/** What can be reached from a name in one step or more. */
function closure(
  edges: Readonly<Record<string, readonly string[]>>,
  start: string,
): ReadonlySet<string> {
  const found = new Set<string>(edges[start]);
  for (const name of found) for (const next of edges[name] ?? []) found.add(next);
  return found;
}
