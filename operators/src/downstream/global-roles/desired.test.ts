import { aGlobalRole } from "@drover/crds/testing";
import { expect } from "chai";
import { inheritedRoles } from "./desired.ts";

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const role = aGlobalRole({
  metadata: { name: "viewer" },
  inheritedNamespacedRules: { open: [{ ...rule, resourceNames: [] }], closed: [rule] },
});

describe("inheritedRoles", () => {
  it("are made where the namespace is open, with rules as they are stored", () => {
    expect(inheritedRoles(role, (name) => name === "open")).to.deep.equal([
      {
        role: {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "Role",
          metadata: {
            name: "viewer-open",
            namespace: "open",
            labels: { "authz.management.cattle.io/gr-owner": "viewer" },
          },
          rules: [rule],
        },
        isFaulty: false,
      },
    ]);
  });

  it("know rules that no namespace can have, and are none without rules", () => {
    const urls = { verbs: ["get"], nonResourceURLs: ["/metrics"] };
    const faulty = aGlobalRole({ inheritedNamespacedRules: { open: [urls] } });

    expect(inheritedRoles(faulty, () => true).map(({ isFaulty }) => isFaulty)).to.deep.equal([
      true,
    ]);
    expect(inheritedRoles(aGlobalRole(), () => true)).to.deep.equal([]);
  });
});
