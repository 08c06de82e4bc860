import { expect } from "chai";
import type { RoleRef, Subject } from "kopf-ts/kinds";
import {
  clusterBindingOwnerKey,
  clusterRoleBindingName,
  clusterRolesOf,
  membershipKey,
  membershipRoles,
  namespaceRoles,
  projectBindingOwnerKey,
  roleBindingName,
  roleTemplateNames,
} from "./role-template-names.ts";

const apiGroup = "rbac.authorization.k8s.io";
const clusterRole = (name: string): RoleRef => ({ apiGroup, kind: "ClusterRole", name });
const ada: Subject = { apiGroup, kind: "User", name: "u-abc123" };
const team: Subject = { apiGroup, kind: "Group", name: "github_org://42" };

describe("names of what role templates bring along", () => {
  it("are Rancher's", () => {
    const names = Object.entries(roleTemplateNames).map(([key, name]) => [key, name("rt")]);

    expect(Object.fromEntries(names)).to.deep.equal({
      clusterRole: "rt",
      aggregator: "rt-aggregator",
      promoted: "rt-promoted",
      promotedAggregator: "rt-promoted-aggregator",
      clusterManagement: "rt-cluster-mgmt",
      clusterManagementAggregator: "rt-cluster-mgmt-aggregator",
      projectManagement: "rt-project-mgmt",
      projectManagementAggregator: "rt-project-mgmt-aggregator",
      ownerLabel: "rt",
    });
  });

  for (const long of ["x".repeat(63), "x".repeat(64), "x.".repeat(126)]) {
    it(`fit into a label and differ for a name of ${long.length} characters`, () => {
      const { ownerLabel: _, ...roles } = roleTemplateNames;
      const names = Object.values(roles).map((name) => name(long));

      expect(names.filter((name) => name.length > 63)).to.deep.equal([]);
      expect(new Set(names).size).to.equal(8);
    });
  }
});

describe("clusterRolesOf", () => {
  for (const [name, other] of [
    ["a", "a-aggregator"],
    ["a", "a-promoted"],
    ["a", "a-cluster-mgmt"],
    ["x".repeat(64), roleTemplateNames.clusterRole("x".repeat(64))],
  ] as const) {
    it(`shows that ${name} and ${other} have roles in common`, () => {
      const common = clusterRolesOf(name).filter((role) => clusterRolesOf(other).includes(role));

      expect(common).not.to.deep.equal([]);
    });
  }

  it("has eight, and nothing in common for other names", () => {
    expect(clusterRolesOf("a")).to.have.lengthOf(8);
    expect(clusterRolesOf("a").some((role) => clusterRolesOf("b").includes(role))).to.equal(false);
  });
});

describe("keys of labels", () => {
  it("name the binding", () => {
    expect(clusterBindingOwnerKey("crtb-1")).to.equal("authz.cluster.cattle.io/crtb-owner-crtb-1");
    expect(projectBindingOwnerKey("prtb-1")).to.equal("authz.cluster.cattle.io/prtb-owner-prtb-1");
    expect(membershipKey("c-1", "crtb-1")).to.equal("c-1_crtb-1");
  });

  it("are cut with a hash where the binding's name is long", () => {
    const long = "b".repeat(253);

    const keys = [
      clusterBindingOwnerKey(long),
      projectBindingOwnerKey(long),
      membershipKey("ns", long),
    ];

    for (const key of keys) expect(key).to.match(/^.{57}-[0-9a-f]{5}$/);
  });
});

describe("names of bindings", () => {
  for (const { role, subject, expected } of [
    { role: "project-member-aggregator", subject: ada, expected: "crb-3vszdv5ey7" },
  ]) {
    it(`is ${expected} for ${role} and ${subject.name} in a cluster`, () => {
      expect(clusterRoleBindingName(clusterRole(role), subject)).to.equal(expected);
    });
  }

  for (const { namespace, role, subject, expected } of [
    {
      namespace: "ns1",
      role: "project-member-aggregator",
      subject: ada,
      expected: "rb-gipambdzxw",
    },
    {
      namespace: "c-abcde-p-xyz12",
      role: "x-project-mgmt-aggregator",
      subject: team,
      expected: "rb-ggxypryk45",
    },
  ]) {
    it(`is ${expected} for ${role} and ${subject.name} in ${namespace}`, () => {
      expect(roleBindingName(namespace, clusterRole(role), subject)).to.equal(expected);
    });
  }

  it("tell a Role from a ClusterRole, a User from a Group, and accounts of two namespaces", () => {
    const account = { kind: "ServiceAccount", name: "robot" } as const;
    const names = [
      clusterRoleBindingName(clusterRole("a"), { ...account, namespace: "x" }),
      clusterRoleBindingName(clusterRole("a"), { ...account, namespace: "y" }),
      clusterRoleBindingName(clusterRole("a"), { ...account, name: "robotx", namespace: "z" }),
      clusterRoleBindingName(clusterRole("a"), { ...account, namespace: "xz" }),
      clusterRoleBindingName(clusterRole("a"), ada),
      clusterRoleBindingName({ ...clusterRole("a"), kind: "Role" }, ada),
      clusterRoleBindingName(clusterRole("a"), { ...ada, kind: "Group" }),
    ];

    expect(new Set(names).size).to.equal(7);
  });
});

describe("names of roles", () => {
  it("for members name the cluster or the project", () => {
    expect(membershipRoles.clusterOwner("c-1")).to.equal("c-1-clusterowner");
    expect(membershipRoles.clusterMember("c-1")).to.equal("c-1-clustermember");
    expect(membershipRoles.projectOwner("p-1")).to.equal("p-1-projectowner");
    expect(membershipRoles.projectMember("p-1")).to.equal("p-1-projectmember");
  });

  it("for namespaces name the project", () => {
    expect(namespaceRoles.readonly("p-1")).to.equal("p-1-namespaces-readonly");
    expect(namespaceRoles.edit("p-1")).to.equal("p-1-namespaces-edit");
    expect(namespaceRoles.psa("p-1")).to.equal("p-1-namespaces-psa");
  });
});
