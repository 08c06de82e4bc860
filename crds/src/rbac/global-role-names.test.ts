import { expect } from "chai";
import { globalRoleBindingNames, globalRoleNames } from "./global-role-names.ts";

describe("names of what global roles bring along", () => {
  it("are Rancher's", () => {
    expect(globalRoleNames.clusterRole("user-base")).to.equal("cattle-globalrole-user-base");
    expect(globalRoleNames.role("user", "fleet-default")).to.equal("user-fleet-default");
    expect(globalRoleNames.fleetRules("gr-abc")).to.equal("gr-abc-fwcr");
    expect(globalRoleNames.fleetVerbs("gr-abc")).to.equal("gr-abc-fwv");
    expect(globalRoleBindingNames.clusterRoleBinding("grb-1")).to.equal(
      "cattle-globalrolebinding-grb-1",
    );
    expect(globalRoleBindingNames.roleBinding("grb-1", "ns")).to.equal("grb-1-ns");
    expect(globalRoleBindingNames.fleetRules("grb-1")).to.equal("grb-1");
    expect(globalRoleBindingNames.fleetVerbs("grb-1")).to.equal("grb-1-fwv");
  });

  it("fit into a label, however long the role's name is", () => {
    const long = "x".repeat(253);

    const names = [
      globalRoleNames.clusterRole(long),
      globalRoleNames.role(long, "ns"),
      globalRoleNames.ownerLabel(long),
      globalRoleBindingNames.clusterRoleBinding(long),
      globalRoleBindingNames.ownerLabel(long),
    ];

    expect(names.filter((name) => name.length > 63)).to.deep.equal([]);
    expect(new Set(names).size).to.equal(4); // both labels say the same
  });
});
