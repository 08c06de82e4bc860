import type { PolicyRule } from "@drover/crds";
import { expect } from "chai";
import { type ObjectMeta, refTo } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { isLegacyRoleOf } from "./legacy.ts";

const rule = (resource: string, apiGroup = ""): PolicyRule => ({
  verbs: ["get"],
  apiGroups: [apiGroup],
  resources: [resource],
});
const volumes: PolicyRule = { ...rule("persistentvolumes"), apiGroups: ["", "core"] };
const local: PolicyRule = {
  ...rule("clusters", "management.cattle.io"),
  resourceNames: ["local"],
};
const owner = (template: string) => ({
  annotations: { "authz.cluster.cattle.io/clusterrole-owner": template },
});
const aRole = (
  name: string,
  rules: readonly PolicyRule[],
  metadata: Partial<ObjectMeta> = {},
): ClusterRole => ({ ...refTo(ClusterRole, name), metadata: { name, ...metadata }, rules });

describe("case 67: isLegacyRoleOf", () => {
  for (const { name, role, expected } of [
    {
      name: "knows its annotation",
      role: aRole("rt", [rule("pods")], owner("rt")),
      expected: true,
    },
    { name: "knows another's", role: aRole("rt", [rule("pods")], owner("x")), expected: false },
    { name: "leaves a bare role of its name", role: aRole("rt", [rule("pods")]), expected: false },
    {
      name: "knows the bare role of promoted rules",
      role: aRole("rt-promoted", [rule("nodes"), volumes, local]),
      expected: true,
    },
    {
      name: "leaves one about another resource",
      role: aRole("rt-promoted", [rule("nodes"), rule("secrets")]),
      expected: false,
    },
    {
      name: "leaves one about everything",
      role: aRole("rt-promoted", [rule("*", "*")]),
      expected: false,
    },
    { name: "leaves one without rules", role: aRole("rt-promoted", []), expected: false },
    {
      name: "leaves one with a label",
      role: aRole("rt-promoted", [rule("nodes")], { labels: { app: "x" } }),
      expected: false,
    },
    { name: "leaves one of another", role: aRole("x-promoted", [rule("nodes")]), expected: false },
  ]) {
    it(name, () => expect(isLegacyRoleOf("rt")(role)).to.equal(expected));
  }
});
