import { ClusterRoleTemplateBinding, RoleTemplate } from "@drover/crds";
import type { Chain } from "@drover/platform";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding } from "kopf-ts/kinds";
import { answer, type Findings } from "./answer.ts";

const rule = { verbs: ["list"], apiGroups: ["apps"], resources: ["deployments"] };
const ruleLine = '{APIGroups:["apps"], Resources:["deployments"], Verbs:["list"]}';
const declared: Chain = {
  links: [refTo(ClusterRoleTemplateBinding, "b", "c-1"), refTo(RoleTemplate, "viewer")],
  rule,
};
const shown: Chain = {
  links: [refTo(ClusterRoleBinding, "crb-x"), refTo(ClusterRole, "viewer-aggregator")],
  rule,
};
const findings: Findings = {
  subject: {
    caller: { username: "u-1", groups: [] },
    title: "u-1 (Jane)",
    isKnown: true,
    isDisabled: false,
  },
  wish: { verb: "list", apiGroup: "apps", resource: "deployments" },
  place: { cluster: "c-1", namespace: "web", project: "c-1:p-1" },
  allowed: false,
  reason: "",
  declared: [],
  shown: [],
  templates: [],
};
const no = "no: u-1 (Jane) cannot list deployments.apps in namespace web of cluster c-1";
const yes = "yes: u-1 (Jane) can list deployments.apps in namespace web of cluster c-1";

describe("answer", () => {
  it("says yes with every way", () => {
    const lines = answer({ ...findings, allowed: true, declared: [declared], shown: [shown] });

    expect(lines).to.deep.equal([
      yes,
      "",
      "declared by:",
      "  ClusterRoleTemplateBinding c-1/b",
      "    RoleTemplate viewer",
      `      ${ruleLine}`,
      "",
      "in the cluster's own RBAC:",
      "  ClusterRoleBinding crb-x",
      "    ClusterRole viewer-aggregator",
      `      ${ruleLine}`,
    ]);
  });

  it("says yes in the server's words where it found no way", () => {
    expect(answer({ ...findings, allowed: true, reason: "by a webhook" })).to.deep.equal([
      yes,
      "",
      "the API server says: by a webhook",
    ]);
  });

  it("says no with what is missing, and which templates would do", () => {
    const templates = ["a", "b", "c", "d", "e", "f", "g"];

    expect(answer({ ...findings, templates })).to.deep.equal([
      no,
      "",
      `missing: ${ruleLine}`,
      "a binding to one of these role templates in project c-1:p-1 grants it: a, b, c, d, e, f and 1 more",
    ]);
  });

  it("says no where it is declared and not in effect, and what to look at", () => {
    expect(answer({ ...findings, declared: [declared] }).at(-1)).to.equal(
      "declared, but not in effect in the cluster: `drover explain clusterroletemplatebinding/b -n c-1` shows what is missing",
    );
  });

  it("says that nobody of ours has the name", () => {
    const subject = { ...findings.subject, title: "jane", isKnown: false };

    expect(answer({ ...findings, subject }).at(-1)).to.equal(
      "there is no User jane; it was taken for a user of the cluster's own",
    );
  });

  it("says that a disabled user cannot log in", () => {
    const subject = { ...findings.subject, isDisabled: true };

    expect(answer({ ...findings, subject, allowed: true })).to.include(
      "but the User is disabled: it can log in nowhere",
    );
  });

  it("counts the ways that it does not show", () => {
    const many = Array.from({ length: 7 }, () => shown);

    expect(answer({ ...findings, allowed: true, shown: many }).at(-1)).to.equal("  and 2 more");
  });
});
