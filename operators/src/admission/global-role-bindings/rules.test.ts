import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import { changeProblem, owned } from "./rules.ts";

describe("changes of global role bindings", () => {
  const binding = aGlobalRoleBinding();

  for (const field of [
    "userName",
    "userPrincipalName",
    "groupPrincipalName",
    "globalRoleName",
  ] as const) {
    it(`never touch ${field}`, () => {
      expect(changeProblem(binding, { ...binding, [field]: "other" })).to.contain(
        `${field} is immutable`,
      );
    });
  }

  it("may touch metadata and status", () => {
    const metadata = { ...binding.metadata, labels: { a: "b" } };

    expect(changeProblem(binding, { ...binding, metadata, status: {} })).to.equal(undefined);
  });
});

describe("owned", () => {
  const role = aGlobalRole({ metadata: { name: "ranger", uid: "1" } });
  const reference = {
    apiVersion: "management.cattle.io/v3",
    kind: "GlobalRole",
    name: "ranger",
    uid: "1",
  };

  it("adds a reference to the role, beside those that are there", () => {
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "2" };
    const binding = aGlobalRoleBinding({ metadata: { ownerReferences: [other] } });

    expect(owned(binding, role)?.metadata.ownerReferences).to.deep.equal([other, reference]);
  });

  it("leaves a binding alone that has it", () => {
    const binding = aGlobalRoleBinding({ metadata: { ownerReferences: [reference] } });

    expect(owned(binding, role)).to.equal(undefined);
  });
});
