import type { GlobalRole } from "@drover/crds";
import { aGlobalRole } from "@drover/crds/testing";
import { expect } from "chai";
import { clusterRole, fleetRoles, namespacedRoles } from "./desired.ts";

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const named = (fields: Partial<GlobalRole>) =>
  aGlobalRole({ rules: [], ...fields, metadata: { name: "viewer" } });
const owner = { "authz.management.cattle.io/gr-owner": "viewer" };

describe("clusterRole", () => {
  it("has Rancher's name and labels", () => {
    const { role, faults } = clusterRole(named({ rules: [rule] }));

    expect(role).to.deep.equal({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: {
        name: "cattle-globalrole-viewer",
        labels: { "authz.management.cattle.io/globalrole": "true", ...owner },
      },
      rules: [rule],
    });
    expect(faults).to.deep.equal([]);
  });

  for (const { name, rules } of [
    { name: "no rules", rules: undefined },
    { name: "empty rules", rules: [] },
  ]) {
    it(`is there for ${name}, with null, as the API server stores them`, () => {
      const role = { ...named({}), rules } as GlobalRole;

      expect(clusterRole(role).role.rules).to.equal(null);
    });
  }

  it("leaves empty lists out of a rule, as the API server does", () => {
    const rules = [{ ...rule, resourceNames: [], nonResourceURLs: [] }];

    expect(clusterRole(named({ rules })).role.rules).to.deep.equal([rule]);
  });

  for (const { name, rules, expected } of [
    {
      name: "a rule without verbs",
      rules: [rule, { ...rule, verbs: [] }],
      expected: /^rules\[1\]\.verbs is empty/,
    },
    {
      name: "a rule without API group",
      rules: [{ verbs: ["get"], resources: ["pods"] }],
      expected: /^rules\[0\]\.apiGroups is empty/,
    },
  ]) {
    it(`tells what is wrong with ${name}`, () => {
      expect(clusterRole(named({ rules })).faults.join()).to.match(expected);
    });
  }
});

describe("namespacedRoles", () => {
  const role = named({ namespacedRules: { open: [rule], closed: [rule] } });

  it("are made where the namespace is open, and nowhere else", () => {
    const wanted = namespacedRoles(role, { isOpen: (name) => name === "open" });

    expect(wanted.map(({ role }) => role)).to.deep.equal([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "viewer-open", namespace: "open", labels: owner },
        rules: [rule],
      },
    ]);
  });

  it("cannot allow URLs", () => {
    const urls = { verbs: ["get"], nonResourceURLs: ["/metrics"] };
    const [wanted] = namespacedRoles(named({ namespacedRules: { open: [urls] } }), {
      isOpen: () => true,
    });

    expect(wanted?.faults.join()).to.match(/^namespacedRules\.open\[0\]\.nonResourceURLs is set/);
  });

  it("are none without rules", () => {
    expect(namespacedRoles(named({}), { isOpen: () => true })).to.deep.equal([]);
  });
});

describe("fleetRoles", () => {
  const permissions = { resourceRules: [rule], workspaceVerbs: ["get"] };
  const role = named({ inheritedFleetWorkspacePermissions: permissions });

  it("have the rules of resources, and the verbs on each workspace by name", () => {
    const [rules, verbs] = fleetRoles(role, { workspaces: ["b", "a"] }).map(({ role }) => role);

    expect(rules?.metadata.name).to.equal("viewer-fwcr");
    expect(rules?.metadata.labels).to.deep.equal({
      ...owner,
      "app.kubernetes.io/managed-by": "rancher",
    });
    expect(rules?.rules).to.deep.equal([rule]);
    expect(verbs?.metadata.name).to.equal("viewer-fwv");
    expect(verbs?.rules).to.deep.equal([
      {
        verbs: ["get"],
        apiGroups: ["management.cattle.io"],
        resources: ["fleetworkspaces"],
        resourceNames: ["a", "b"],
      },
    ]);
  });

  it("have no verbs without workspaces, since a rule without names would allow all", () => {
    const names = fleetRoles(role, { workspaces: [] }).map(({ role }) => role.metadata.name);

    expect(names).to.deep.equal(["viewer-fwcr"]);
  });

  for (const { name, fields, expected } of [
    { name: "nothing asked for", fields: {}, expected: [] },
    { name: "only rules", fields: { resourceRules: [rule] }, expected: ["viewer-fwcr"] },
    { name: "only verbs", fields: { workspaceVerbs: ["get"] }, expected: ["viewer-fwv"] },
  ]) {
    it(`are [${expected}] with ${name}`, () => {
      const asking = named({ inheritedFleetWorkspacePermissions: fields });

      const names = fleetRoles(asking, { workspaces: ["a"] }).map(({ role }) => role.metadata.name);

      expect(names).to.deep.equal(expected);
    });
  }
});
