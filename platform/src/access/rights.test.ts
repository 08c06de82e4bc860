import { covers, type PolicyRule } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import type { Caller } from "./caller.ts";
import {
  aClusterRole,
  aRole,
  bindEverywhere,
  bindIn,
  group,
  may,
  memory,
  user,
} from "./memory.test.support.ts";
import { everything, type Rights, rightsOf } from "./rights.ts";

const alice: Caller = { username: "alice", groups: ["devs", "devs", "system:authenticated"] };

const rightsIn = (objects: readonly KubeObject[], caller: Caller = alice): Rights =>
  rightsOf(caller, memory(objects));

const template = (name: string, ...rules: readonly PolicyRule[]) =>
  aRoleTemplate({ metadata: { name }, rules });
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("rights from roles of Kubernetes", () => {
  for (const { name, subject, caller = alice, expected } of [
    { name: "a user", subject: user("alice"), expected: true },
    { name: "another user", subject: user("bob"), expected: false },
    { name: "a group", subject: group("devs"), expected: true },
    { name: "another group", subject: group("ops"), expected: false },
    { name: "a user of a group's name", subject: user("devs"), expected: false },
    { name: "a group of the user's name", subject: group("alice"), expected: false },
    {
      name: "a service account",
      subject: { kind: "ServiceAccount", namespace: "ns", name: "bot" } as const,
      caller: { username: "system:serviceaccount:ns:bot", groups: [] },
      expected: true,
    },
    {
      name: "a service account of another namespace",
      subject: { kind: "ServiceAccount", namespace: "other", name: "bot" } as const,
      caller: { username: "system:serviceaccount:ns:bot", groups: [] },
      expected: false,
    },
    {
      name: "a service account without namespace, where none is known",
      subject: { kind: "ServiceAccount", name: "bot" } as const,
      caller: { username: "system:serviceaccount::bot", groups: [] },
      expected: false,
    },
  ]) {
    it(`everywhere: ${name} ${expected ? "is" : "is not"} bound`, () => {
      const rights = rightsIn(
        [aClusterRole("reader", may("get", "pods")), bindEverywhere("reader", subject)],
        caller,
      );

      expect(rights.everywhere()).to.deep.equal(expected ? [may("get", "pods")] : []);
      expect(rights.inNamespace("any")).to.deep.equal(rights.everywhere());
    });
  }

  it("are those of Roles and ClusterRoles bound in the namespace, and only there", () => {
    const rights = rightsIn([
      aRole("ns", "writer", may("create", "pods")),
      aRole("other", "writer", may("create", "secrets")),
      aClusterRole("reader", may("get", "pods")),
      bindIn("ns", "Role", "writer", user("alice")),
      bindIn("ns", "ClusterRole", "reader", group("devs")),
    ]);

    expect(rights.inNamespace("ns")).to.deep.equal([may("create", "pods"), may("get", "pods")]);
    expect(rights.inNamespace("other")).to.deep.equal([]);
    expect(rights.everywhere()).to.deep.equal([]);
  });

  it("take a service account without namespace from that of the RoleBinding", () => {
    const bot = { kind: "ServiceAccount", name: "bot" } as const;
    const objects = [aRole("ns", "r", may("get", "pods")), bindIn("ns", "Role", "r", bot)];

    const rights = rightsIn(objects, { username: "system:serviceaccount:ns:bot", groups: [] });

    expect(rights.inNamespace("ns")).to.deep.equal([may("get", "pods")]);
  });

  it("count a role once that is bound several times, and pass over one that is gone", () => {
    const rights = rightsIn([
      aClusterRole("reader", may("get", "pods")),
      bindEverywhere("reader", user("alice"), group("devs"), group("devs")),
      bindEverywhere("gone", user("alice")),
    ]);

    expect(rights.everywhere()).to.deep.equal([may("get", "pods")]);
  });

  it("of members of system:masters are everything, whatever is bound", () => {
    const rights = rightsIn([], { username: "root", groups: ["system:masters"] });

    for (const held of [
      rights.everywhere(),
      rights.inNamespace("ns"),
      rights.inCluster("c-abcde"),
      rights.inProject("c-abcde:p-abcde", "ns"),
      rights.inManagedClusters(),
      rights.inManagedNamespace("ns"),
      rights.inWorkspaces(),
      rights.onWorkspaces(),
    ]) {
      expect(held).to.equal(everything);
    }
  });
});

describe("rights from role template bindings", () => {
  const nodes = template("nodes", may("get", "nodes"));

  it("hold in their cluster, with what the template inherits", () => {
    const parent = aRoleTemplate({
      metadata: { name: "parent" },
      rules: [may("get", "events")],
      roleTemplateNames: ["nodes"],
    });
    const binding = aClusterRoleTemplateBinding({ userName: "alice", roleTemplateName: "parent" });

    const rights = rightsIn([nodes, parent, binding]);

    expect(rights.inCluster("c-abcde")).to.deep.equal([may("get", "events"), may("get", "nodes")]);
    expect(rights.inCluster("c-other")).to.deep.equal([]);
    expect(rights.everywhere()).to.deep.equal([]);
  });

  it("hold in their project alone", () => {
    const binding = aProjectRoleTemplateBinding({ userName: "alice", roleTemplateName: "nodes" });

    const rights = rightsIn([nodes, binding]);

    expect(rights.inProject("c-abcde:p-abcde", "c-abcde-p-abcde")).to.deep.equal(nodes.rules);
    expect(rights.inProject("c-abcde:p-other", "c-abcde-p-abcde")).to.deep.equal([]);
    expect(rights.inCluster("c-abcde")).to.deep.equal([]);
  });

  it("add to what is bound in the namespace of the cluster or project", () => {
    const rights = rightsIn([
      aClusterRole("reader", may("get", "pods")),
      bindIn("c-abcde", "ClusterRole", "reader", user("alice")),
      bindIn("c-abcde-p-abcde", "ClusterRole", "reader", user("alice")),
    ]);

    expect(rights.inCluster("c-abcde")).to.deep.equal([may("get", "pods")]);
    expect(rights.inProject("c-x:p-x", "c-abcde-p-abcde")).to.deep.equal([may("get", "pods")]);
  });

  for (const { name, subject, expected } of [
    { name: "groupName", subject: { userName: "", groupName: "devs" }, expected: true },
    {
      name: "groupPrincipalName",
      subject: { userName: "", groupPrincipalName: "devs" },
      expected: true,
    },
    {
      name: "only a userPrincipalName",
      subject: { userName: "", userPrincipalName: "local://alice" },
      expected: false,
    },
    {
      name: "another user and the group",
      subject: { userName: "bob", groupName: "devs" },
      expected: false,
    },
  ]) {
    it(`${expected ? "count" : "do not count"} with ${name}`, () => {
      const binding = aClusterRoleTemplateBinding({ ...subject, roleTemplateName: "nodes" });

      const held = rightsIn([nodes, binding]).inCluster("c-abcde");

      expect(held).to.deep.equal(expected ? nodes.rules : []);
    });
  }

  for (const { name, binding } of [
    {
      name: "is being deleted",
      binding: aClusterRoleTemplateBinding({
        metadata: { namespace: "c-abcde", ...deleted },
        userName: "alice",
        roleTemplateName: "nodes",
      }),
    },
    {
      name: "is outside of its cluster's namespace",
      binding: aClusterRoleTemplateBinding({
        metadata: { namespace: "c-own" },
        userName: "alice",
        roleTemplateName: "nodes",
      }),
    },
  ]) {
    it(`do not come from a binding that ${name}`, () => {
      const held = rightsIn([nodes, binding]);

      expect(held.inCluster("c-abcde")).to.deep.equal([]);
      expect(held.inCluster("c-own")).to.deep.equal([]);
    });
  }

  it("do not come from templates that inherit in a circle or are missing, and the others still count", () => {
    const circle = aRoleTemplate({ metadata: { name: "circle" }, roleTemplateNames: ["circle"] });
    const bindings = ["circle", "missing", "nodes"].map((roleTemplateName) =>
      aClusterRoleTemplateBinding({ userName: "alice", roleTemplateName }),
    );

    expect(rightsIn([nodes, circle, ...bindings]).inCluster("c-abcde")).to.deep.equal(nodes.rules);
  });
});

describe("rights from global roles", () => {
  const nodes = template("nodes", may("get", "nodes"));
  const role = aGlobalRole({
    metadata: { name: "ranger" },
    rules: [],
    inheritedClusterRoles: ["nodes"],
    inheritedNamespacedRules: { kiosk: [may("get", "secrets")] },
    inheritedFleetWorkspacePermissions: {
      resourceRules: [may("list", "bundles")],
      workspaceVerbs: ["get"],
    },
  });
  const binding = aGlobalRoleBinding({ userName: "alice", globalRoleName: "ranger" });
  const objects = [nodes, role, binding];

  it("hold in every cluster but the local one", () => {
    const rights = rightsIn(objects);

    expect(rights.inManagedClusters()).to.deep.equal(nodes.rules);
    expect(rights.inCluster("c-abcde")).to.deep.equal(nodes.rules);
    expect(rights.inCluster("local")).to.deep.equal([]);
  });

  it("hold in a namespace of every cluster", () => {
    const rights = rightsIn(objects);

    expect(rights.inManagedNamespace("kiosk")).to.deep.equal([
      may("get", "nodes"),
      may("get", "secrets"),
    ]);
    expect(rights.inManagedNamespace("vault")).to.deep.equal([may("get", "nodes")]);
    expect(rights.inNamespace("kiosk")).to.deep.equal([]);
  });

  it("hold in and on fleet workspaces, apart from each other", () => {
    const rights = rightsIn(objects);

    expect(rights.inWorkspaces()).to.deep.equal([may("list", "bundles")]);
    expect(rights.onWorkspaces()).to.deep.equal([
      { verbs: ["get"], apiGroups: ["management.cattle.io"], resources: ["fleetworkspaces"] },
    ]);
  });

  it("of an administrator are everything in every managed cluster", () => {
    const admin = aGlobalRole({ metadata: { name: "root" }, rules: everything });
    const bound = aGlobalRoleBinding({ userName: "alice", globalRoleName: "root" });

    expect(rightsIn([admin, bound]).inManagedClusters()).to.deep.equal(everything);
  });

  it("come no more from a role that is being deleted", () => {
    const binding = aGlobalRoleBinding({ globalRoleName: "all", userName: "alice" });
    const role = aGlobalRole({
      metadata: { name: "all", ...deleted },
      rules: [...everything],
      inheritedFleetWorkspacePermissions: { workspaceVerbs: ["get"] },
    });

    const rights = rightsIn([binding, role]);

    expect(rights.inManagedClusters()).to.deep.equal([]);
    expect(rights.onWorkspaces()).to.deep.equal([]);
  });

  it("come by group principal, and not from a binding that is being deleted", () => {
    const byGroup = aGlobalRoleBinding({
      userName: "",
      groupPrincipalName: "devs",
      globalRoleName: "ranger",
    });
    const going = { ...binding, metadata: { ...binding.metadata, ...deleted } };

    expect(rightsIn([nodes, role, byGroup]).inManagedClusters()).to.deep.equal(nodes.rules);
    expect(rightsIn([nodes, role, going]).inManagedClusters()).to.deep.equal([]);
  });
});

describe("everything", () => {
  it("covers any rule", () => {
    const rules = [may("use", "x/y"), { verbs: ["get"], nonResourceURLs: ["/healthz/*", "*"] }];

    expect(covers(everything, rules)).to.deep.equal([]);
  });
});
