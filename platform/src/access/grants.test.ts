import { CircularInheritanceError, MissingRoleTemplateError } from "@drover/crds";
import { aGlobalRole, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { grantsOf, lackingFor, missingText } from "./grants.ts";
import {
  aClusterRole,
  aRole,
  bindEverywhere,
  bindIn,
  may,
  memory,
  user,
} from "./memory.test.support.ts";
import { rightsOf } from "./rights.ts";

const alice = { username: "alice", groups: [] };
const nodes = aRoleTemplate({ metadata: { name: "nodes" }, rules: [may("get", "nodes")] });
const role = aGlobalRole({
  metadata: { name: "ranger" },
  rules: [may("get", "pods")],
  inheritedClusterRoles: ["nodes"],
  namespacedRules: { ns: [may("get", "secrets")] },
  inheritedNamespacedRules: { kiosk: [may("list", "secrets")] },
  inheritedFleetWorkspacePermissions: {
    resourceRules: [may("list", "bundles")],
    workspaceVerbs: ["get"],
  },
});

describe("grantsOf", () => {
  it("tells all that a global role hands out, place by place", () => {
    const grants = grantsOf(role, memory([nodes]));

    expect(grants.map(({ where, rules }) => [where, rules])).to.deep.equal([
      ["in the whole local cluster", [may("get", "pods")]],
      ["in every managed cluster", [may("get", "nodes")]],
      ["in every fleet workspace", [may("list", "bundles")]],
      [
        "on every fleet workspace",
        [{ verbs: ["get"], apiGroups: ["management.cattle.io"], resources: ["fleetworkspaces"] }],
      ],
      ["in namespace ns", [may("get", "secrets")]],
      ["in namespace kiosk of every managed cluster", [may("list", "secrets")]],
    ]);
  });

  it("is empty for a role that hands out nothing", () => {
    expect(grantsOf(aGlobalRole({ rules: [] }), memory([]))).to.deep.equal([]);
  });

  it("throws for templates that are missing or inherit in a circle", () => {
    const circle = { ...nodes, roleTemplateNames: ["nodes"] };

    expect(() => grantsOf(role, memory([]))).to.throw(MissingRoleTemplateError);
    expect(() => grantsOf(role, memory([circle]))).to.throw(CircularInheritanceError);
  });
});

describe("lackingFor", () => {
  const { signal } = new AbortController();

  it("is told place by place, what is held in one place does not count in another", async () => {
    const sources = memory([
      nodes,
      aClusterRole("pods", may("get", "pods"), may("list", "bundles")),
      bindEverywhere("pods", user("alice")),
      aRole("kiosk", "all", may("*", "*")),
      bindIn("kiosk", "Role", "all", user("alice")),
    ]);

    const lacking = await lackingFor(rightsOf(alice, sources), grantsOf(role, sources), signal);

    expect(lacking.map(({ where }) => where)).to.deep.equal([
      "in every managed cluster",
      "on every fleet workspace",
      "in namespace ns",
      "in namespace kiosk of every managed cluster",
    ]);
  });

  it("is nothing for who holds what is handed out", async () => {
    const sources = memory([nodes]);
    const root = { username: "root", groups: ["system:masters"] };

    const lacking = await lackingFor(rightsOf(root, sources), grantsOf(role, sources), signal);

    expect(lacking).to.deep.equal([]);
  });

  it("ends after 20 places, and when nobody waits for it any more", async () => {
    const namespacedRules = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`ns${index}`, [may("get", "pods")]]),
    );
    const grants = grantsOf(aGlobalRole({ rules: [], namespacedRules }), memory([]));
    const gone = AbortSignal.abort(new Error("gone"));
    let thrown: unknown;

    const lacking = await lackingFor(rightsOf(alice, memory([])), grants, signal);
    await lackingFor(rightsOf(alice, memory([])), grants, gone).catch((error: unknown) => {
      thrown = error;
    });

    expect(lacking).to.have.length(20);
    expect(thrown).to.equal(gone.reason);
  });

  it("lets others have the process while a role has rules for a thousand namespaces", async () => {
    const rules = [may("get", "pods")];
    const namespacedRules = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`ns${index}`, rules]),
    );
    const sources = memory([aClusterRole("r", ...rules), bindEverywhere("r", user("alice"))]);
    let turns = 0;
    const turn = (): void => {
      turns++;
      handle = setImmediate(turn);
    };
    let handle = setImmediate(turn);

    await lackingFor(
      rightsOf(alice, sources),
      grantsOf(aGlobalRole({ rules: [], namespacedRules }), sources),
      signal,
    );
    clearImmediate(handle);

    expect(turns).to.be.at.least(500);
  });
});

describe("missingText", () => {
  it("shows three rules and counts the others", () => {
    const rules = ["a", "b", "c", "d", "e"].map((resource) => may("get", resource));

    expect(missingText(rules.slice(0, 1))).to.equal(
      '{APIGroups:[""], Resources:["a"], Verbs:["get"]}',
    );
    expect(missingText(rules))
      .to.match(/"c".* and 2 more$/)
      .and.not.contain('"d"');
  });
});
