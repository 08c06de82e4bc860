import { expect } from "chai";
import { waves } from "./order.ts";

describe("waves", () => {
  it("puts first what others live in or refer to, and last what reaches into every request", () => {
    const kinds = [
      "ValidatingWebhookConfiguration",
      "Deployment",
      "RoleBinding",
      "Token",
      "ClusterRole",
      "Secret",
      "Namespace",
      "CustomResourceDefinition",
      "Role",
    ];

    expect(waves(kinds, (kind) => kind)).to.deep.equal([
      ["Namespace", "CustomResourceDefinition"],
      ["Secret"],
      ["ClusterRole", "Role"],
      ["RoleBinding"],
      ["Deployment", "Token"],
      ["ValidatingWebhookConfiguration"],
    ]);
  });

  it("has no wave for nothing", () => {
    expect(waves([], String)).to.deep.equal([]);
  });
});
