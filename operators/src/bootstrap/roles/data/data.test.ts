import {
  covers,
  flatten,
  type GlobalRole,
  labels,
  type PolicyRule,
  type RoleTemplate,
  ruleFaults,
} from "@drover/crds";
import { expect } from "chai";
import { globalRoles } from "./global-roles.ts";
import { roleTemplates } from "./role-templates.ts";
import { all, edit, rule, view } from "./rule.ts";

const globals = globalRoles({ oidcProvider: true });
const everyRole: readonly (GlobalRole | RoleTemplate)[] = [...globals, ...roleTemplates];
const management = "management.cattle.io";

const named = <T extends GlobalRole | RoleTemplate>(roles: readonly T[], name: string): T => {
  const role = roles.find(({ metadata }) => metadata.name === name);
  if (role === undefined) throw new Error(`there is no role ${name}`);
  return role;
};
const globalRules = (name: string): readonly PolicyRule[] => named(globals, name).rules ?? [];

/** What a template allows with all it inherits; Kubernetes' own roles stand for verbs on a resource that nobody else names. */
function effective(name: string): readonly PolicyRule[] {
  return flatten(named(roleTemplates, name), {
    roleTemplate: (each) => roleTemplates.find(({ metadata }) => metadata.name === each),
    clusterRole: (each) => kubernetes[each],
  });
}

const kubernetes: Readonly<Record<string, readonly PolicyRule[]>> = {
  admin: [all.on("kubernetes", "things")],
  edit: [edit.on("kubernetes", "things")],
  view: [view.on("kubernetes", "things")],
};

describe("built-in roles", () => {
  it("are the 14 GlobalRoles and 40 RoleTemplates of this version", () => {
    expect(globals).to.have.length(14);
    expect(roleTemplates).to.have.length(40);
  });

  for (const roles of [globals, roleTemplates]) {
    it(`have one name each, among ${roles[0]?.kind}s`, () => {
      const names = roles.map(({ metadata }) => metadata.name);
      expect(new Set(names).size).to.equal(names.length);
    });
  }

  for (const role of everyRole) {
    const { rules = [], kind, metadata } = role;
    const more = "namespacedRules" in role ? Object.values(role.namespacedRules ?? {}).flat() : [];
    it(`have rules that can be stored: ${kind} ${metadata.name}`, () => {
      expect(ruleFaults([...rules, ...more], "rules")).to.deep.equal([]);
      expect(role.builtin).to.equal(true);
      expect(metadata.labels?.[labels.bootstrapping]).to.equal(`default-${kind.toLowerCase()}`);
    });
  }

  it("inherit only what there is", () => {
    const names = new Set(roleTemplates.map(({ metadata }) => metadata.name));
    const inherited = roleTemplates.flatMap(({ roleTemplateNames = [] }) => roleTemplateNames);
    expect(inherited.filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it("are external where their rules are another ClusterRole's, and have none then", () => {
    const external = roleTemplates.filter((role) => role.external);
    expect(external.map(({ metadata }) => metadata.name)).to.have.members([
      ...["cluster-admin", "admin", "edit", "view", "monitoring-ui-view"],
    ]);
    expect(external.flatMap(({ rules = [] }) => rules)).to.deep.equal([]);
  });

  it("are hidden where they are building blocks", () => {
    const hidden = roleTemplates.filter((role) => role.hidden);
    expect(hidden.map(({ metadata }) => metadata.name)).to.have.members([
      ...["cluster-admin", "admin", "edit", "view", "project-monitoring-readonly"],
    ]);
  });

  it("are administrative in clusters only", () => {
    const administrative = roleTemplates.filter((role) => role.administrative);
    expect(administrative.map(({ metadata }) => metadata.name)).to.have.members([
      ...["cluster-admin", "cluster-owner", "clustercatalogs-manage"],
    ]);
    expect(administrative.map(({ context }) => context)).to.deep.equal(Array(3).fill("cluster"));
  });
});

describe("built-in GlobalRoles", () => {
  it("let the admin do everything", () => {
    const everything = everyRole.flatMap(({ rules = [] }) => rules);
    expect(covers(globalRules("admin"), everything)).to.deep.equal([]);
  });

  it("case 72: let `user` list roletemplates and `user-base` not, and neither list users", () => {
    const roletemplates = [view.on(management, "roletemplates")];
    const users = [rule("list").on(management, "users")];

    expect(covers(globalRules("user"), roletemplates)).to.deep.equal([]);
    expect(covers(globalRules("user-base"), roletemplates)).to.deep.equal(roletemplates);
    expect(covers(globalRules("user"), users)).to.deep.equal(users);
    expect(covers(globalRules("user-base"), users)).to.deep.equal(users);
  });

  it("give `user` all that `user-base` has", () => {
    expect(covers(globalRules("user"), globalRules("user-base"))).to.deep.equal([]);
  });

  it("have a role for OIDC clients with that feature only", () => {
    const names = globalRoles({ oidcProvider: false }).map(({ metadata }) => metadata.name);
    expect(names).to.have.length(13).and.not.include("manage-oidc-clients");
  });

  it("let nobody but the admin read secrets", () => {
    const secrets = [rule("get").on("", "secrets")];
    const readers = globals.filter(({ rules = [], namespacedRules = {} }) =>
      [...Object.values(namespacedRules), rules].some((each) => covers(each, secrets).length === 0),
    );
    expect(readers.map(({ metadata }) => metadata.name)).to.deep.equal(["admin"]);
  });
});

describe("built-in RoleTemplates", () => {
  for (const [owner, member] of [
    ["project-owner", "project-member"],
    ["project-member", "read-only"],
    ["cluster-owner", "cluster-member"],
    ["cluster-owner", "project-owner"],
  ] as const) {
    it(`give ${owner} all of ${member}, which it could not bind others to otherwise`, () => {
      expect(covers(effective(owner), effective(member))).to.deep.equal([]);
    });
  }

  it("let project-member change no bindings, and read-only change nothing", () => {
    const bindings = [rule("create").on(management, "projectroletemplatebindings")];
    expect(covers(effective("project-member"), bindings)).to.deep.equal(bindings);

    const verbs = effective("read-only").flatMap((each) => each.verbs);
    expect([...new Set(verbs)]).to.have.members(["get", "list", "watch"]);
  });

  for (const { name, allowed, refused } of [
    { name: "nodes-view", allowed: view.on("", "nodes"), refused: rule("delete").on("", "nodes") },
    {
      name: "services-view",
      allowed: view.on("", "services"),
      refused: rule("get").on("", "services/proxy"),
    },
    {
      name: "workloads-manage",
      allowed: rule("create").on("", "pods/exec"),
      refused: rule("update").on("", "resourcequotas"),
    },
    {
      name: "workloads-view",
      allowed: view.on("", "pods/log"),
      refused: rule("get").on("", "pods/exec"),
    },
    {
      name: "cluster-member",
      allowed: rule("get").onNamed(management, "clusters", ["local"]),
      refused: rule("get").on(management, "clusters"),
    },
  ]) {
    it(`draw the line: ${name}`, () => {
      expect(covers(effective(name), [allowed])).to.deep.equal([]);
      expect(covers(effective(name), [refused])).to.deep.equal([refused]);
    });
  }
});
