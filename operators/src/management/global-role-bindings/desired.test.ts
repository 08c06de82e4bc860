import type { GlobalRole } from "@drover/crds";
import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import { clusterRoleBinding, fleetBindings, type Grant, namespacedBindings } from "./desired.ts";

const rbac = "rbac.authorization.k8s.io";
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const owner = { "authz.management.cattle.io/grb-owner": "grb-1" };
const subject = { kind: "User", name: "u-ada", apiGroup: rbac } as const;

const grantOf = (fields: Partial<GlobalRole> = {}): Grant => ({
  binding: aGlobalRoleBinding({ metadata: { name: "grb-1" }, globalRoleName: "viewer" }),
  role: aGlobalRole({ ...fields, metadata: { name: "viewer" } }),
  subject,
});

describe("clusterRoleBinding", () => {
  it("has Rancher's name and labels, and grants the ClusterRole of the role", () => {
    expect(clusterRoleBinding(grantOf())).to.deep.equal({
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: {
        name: "cattle-globalrolebinding-grb-1",
        labels: { "authz.management.cattle.io/globalrolebinding": "true", ...owner },
      },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cattle-globalrole-viewer" },
      subjects: [subject],
    });
  });
});

describe("namespacedBindings", () => {
  it("grant the Role of each open namespace", () => {
    const grant = grantOf({ namespacedRules: { open: [rule], closed: [rule] } });

    const bindings = namespacedBindings(grant, { isOpen: (name) => name === "open" });

    expect(bindings).to.deep.equal([
      {
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata: { name: "grb-1-open", namespace: "open", labels: owner },
        roleRef: { apiGroup: rbac, kind: "Role", name: "viewer-open" },
        subjects: [subject],
      },
    ]);
  });
});

describe("fleetBindings", () => {
  const permissions = { resourceRules: [rule], workspaceVerbs: ["get"] };
  const everything = grantOf({ inheritedFleetWorkspacePermissions: permissions });
  const isOpen = (name: string): boolean => name !== "closed";
  const names = (grant: Grant, workspaces: readonly string[]) =>
    fleetBindings(grant, { isOpen, workspaces }).map(
      ({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`,
    );

  it("are one in each open workspace but the local one, and one for verbs", () => {
    const found = names(everything, ["fleet-local", "fleet-default", "closed"]);

    expect(found).to.deep.equal(["fleet-default/grb-1", "/grb-1-fwv"]);
  });

  it("bear Rancher's labels and grant the ClusterRoles for fleet", () => {
    const [rules, verbs] = fleetBindings(everything, { isOpen, workspaces: ["a"] });
    const managed = { ...owner, "app.kubernetes.io/managed-by": "rancher" };

    expect(rules?.metadata.labels).to.deep.equal({
      ...managed,
      "authz.management.cattle.io/fleet-workspace-permissions": "true",
    });
    expect(verbs?.metadata.labels).to.deep.equal(managed);
    expect([rules?.roleRef.name, verbs?.roleRef.name]).to.deep.equal(["viewer-fwcr", "viewer-fwv"]);
  });

  it("are none without workspaces, or without permissions", () => {
    expect(names(everything, ["fleet-local"])).to.deep.equal([]);
    expect(names(grantOf(), ["a"])).to.deep.equal([]);
  });
});
