import type { ClusterRoleTemplateBinding } from "@drover/crds";
import { aClusterRoleTemplateBinding, aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import { grantsOtherwise, templateBindings } from "./cluster-bindings.ts";
import type { Grant } from "./desired.ts";

const grantOf = (
  templates: readonly string[],
  { name = "grb-1", group }: { readonly name?: string; readonly group?: string } = {},
): Grant => ({
  binding: aGlobalRoleBinding({ metadata: { name } }),
  role: aGlobalRole({ inheritedClusterRoles: templates }),
  subject: group ? { kind: "Group", name: group } : { kind: "User", name: "u-ada" },
});
const targets = ["local", "c-1", "c-2"].map((name) => ({ name, isOpen: true }));

/** One that is there, in c-1. */
const stored = (
  name: string,
  fields: Partial<ClusterRoleTemplateBinding> = {},
  more: Partial<ClusterRoleTemplateBinding["metadata"]> = {},
): ClusterRoleTemplateBinding =>
  aClusterRoleTemplateBinding({
    userName: "u-ada",
    clusterName: "c-1",
    roleTemplateName: "cluster-member",
    ...fields,
    metadata: { name, namespace: "c-1", ...more },
  });

const namesOf = (bindings: readonly ClusterRoleTemplateBinding[]) =>
  bindings.map(({ metadata }) => metadata.name);

describe("templateBindings", () => {
  it("are one for each role and cluster but the local one", () => {
    const bindings = templateBindings(grantOf(["a", "b", "a"]), targets, []);

    const found = bindings.map(
      (each) => `${each.metadata.namespace} ${each.clusterName} ${each.roleTemplateName}`,
    );
    expect(found).to.deep.equal(["c-1 c-1 a", "c-1 c-1 b", "c-2 c-2 a", "c-2 c-2 b"]);
    expect(new Set(namesOf(bindings)).size).to.equal(4);
    expect(bindings[0]?.metadata.labels).to.deep.equal({
      "authz.management.cattle.io/grb-owner": "grb-1",
      "app.kubernetes.io/managed-by": "rancher",
    });
  });

  it("have a name that follows from binding, cluster and role", () => {
    const [first, again] = [1, 2].map(() => templateBindings(grantOf(["a"]), targets, []));
    const other = templateBindings(grantOf(["a"], { name: "grb-2" }), targets, []);

    expect(first).to.deep.equal(again);
    expect(first?.[0]?.metadata.name).to.match(/^crtb-grb-[0-9a-f]{12}$/);
    expect(namesOf(first ?? [])).not.to.include(other[0]?.metadata.name);
  });

  for (const { name, group, expected } of [
    { name: "a user", group: "", expected: { userName: "u-ada" } },
    { name: "a group", group: "x_group://1", expected: { groupPrincipalName: "x_group://1" } },
  ]) {
    it(`bind ${name}`, () => {
      const [binding] = templateBindings(grantOf(["a"], { group }), targets, []);

      expect(binding).to.deep.include(expected);
      expect(Object.keys(binding ?? {})).not.to.include("groupName");
    });
  }

  for (const { name, existing, expected } of [
    {
      name: "keep the name that a Rancher gave",
      existing: [stored("crtb-grb-x7k2p")],
      expected: "crtb-grb-x7k2p",
    },
    {
      name: "keep the oldest of several",
      existing: [
        stored("a", {}, { creationTimestamp: "2026-01-02T00:00:00Z" }),
        stored("b", {}, { creationTimestamp: "2026-01-01T00:00:00Z" }),
      ],
      expected: "b",
    },
    {
      name: "keep the smaller name of two of one age",
      existing: [stored("b"), stored("a")],
      expected: "a",
    },
  ]) {
    it(name, () => {
      const bindings = templateBindings(grantOf(["cluster-member"]), targets, existing);

      expect(bindings[0]?.metadata.name).to.equal(expected);
    });
  }

  for (const { name, existing } of [
    { name: "another user", existing: stored("x", { userName: "u-eve" }) },
    { name: "a group besides", existing: stored("x", { groupName: "g" }) },
    { name: "another role", existing: stored("x", { roleTemplateName: "cluster-owner" }) },
    { name: "another cluster than its namespace's", existing: stored("x", { clusterName: "c-2" }) },
    {
      name: "nothing for long, since it is being deleted",
      existing: stored("x", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
  ]) {
    it(`do not make do with one that grants ${name}`, () => {
      const bindings = templateBindings(grantOf(["cluster-member"]), targets, [existing]);

      expect(bindings[0]?.metadata.name).to.match(/^crtb-grb-[0-9a-f]{12}$/);
    });
  }

  it("are not made in a cluster on its way out, but left there", () => {
    const closing = [{ name: "c-1", isOpen: false }];

    expect(templateBindings(grantOf(["cluster-member"]), closing, [])).to.deep.equal([]);
    expect(
      namesOf(templateBindings(grantOf(["cluster-member"]), closing, [stored("x")])),
    ).to.deep.equal(["x"]);
  });
});

describe("grantsOtherwise", () => {
  it("is about what is granted, to whom and where, and nothing else", () => {
    const wanted = stored("x");

    expect(grantsOtherwise(stored("x", { userPrincipalName: "local://u-ada" }), wanted)).to.equal(
      false,
    );
    expect(grantsOtherwise(stored("x", { userName: "u-eve" }), wanted)).to.equal(true);
    expect(grantsOtherwise(stored("x", { roleTemplateName: "b" }), wanted)).to.equal(true);
    expect(grantsOtherwise(stored("x", { clusterName: "c-2" }), wanted)).to.equal(true);
  });
});
