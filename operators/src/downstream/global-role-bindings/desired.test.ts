import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import { inheritedBindings } from "./desired.ts";

const apiGroup = "rbac.authorization.k8s.io";
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const role = aGlobalRole({
  metadata: { name: "viewer" },
  inheritedNamespacedRules: { open: [rule], closed: [rule] },
});
const binding = (fields: object) =>
  aGlobalRoleBinding({ metadata: { name: "grb-1" }, globalRoleName: "viewer", ...fields });
const isOpen = (name: string) => name === "open";

describe("inheritedBindings", () => {
  it("grant the Role of each namespace that is open", () => {
    expect(inheritedBindings(binding({ userName: "u-ada" }), role, isOpen)).to.deep.equal([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: {
          name: "grb-1-open",
          namespace: "open",
          labels: { "authz.management.cattle.io/grb-owner": "grb-1" },
        },
        roleRef: { apiGroup, kind: "Role", name: "viewer-open" },
        subjects: [{ kind: "User", name: "u-ada", apiGroup }],
      },
    ]);
  });

  it("are none without a role, and to nobody", () => {
    expect(inheritedBindings(binding({}), undefined, isOpen)).to.deep.equal([]);
    expect(inheritedBindings(binding({ userName: "" }), role, isOpen)).to.deep.equal([]);
  });
});
