import { expect } from "chai";
import type { PolicyRule, Role, Secret } from "kopf-ts/kinds";
import { ownedBy, reducedRules } from "./owned.ts";

const secret: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "cc-abcde", namespace: "cattle-global-data", uid: "1" },
};
const role = (rules: readonly PolicyRule[] | null): Role => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "r", namespace: "cattle-global-data" },
  rules,
});
const about = (verbs: readonly string[], resourceNames = ["cc-abcde"]): PolicyRule => ({
  verbs,
  apiGroups: [""],
  resources: ["secrets"],
  resourceNames,
});

describe("ownedBy", () => {
  for (const { uids, expected } of [
    { uids: ["1"], expected: true },
    { uids: ["2", "1"], expected: true },
    { uids: ["2"], expected: false },
    { uids: [], expected: false },
  ]) {
    it(`is ${expected} with owners ${uids.join(", ") || "(none)"}`, () => {
      const ownerReferences = uids.map((uid) => ({
        apiVersion: "v1",
        kind: "Secret",
        name: "x",
        uid,
      }));
      const object = { ...role(null), metadata: { name: "r", ownerReferences } };

      expect(ownedBy(secret)(object)).to.equal(expected);
    });
  }
});

describe("the rules of a deleted secret's role", () => {
  for (const { name, rules, reduced } of [
    { name: "all verbs", rules: [about(["*"])], reduced: true },
    { name: "several verbs", rules: [about(["get", "update", "delete"])], reduced: true },
    { name: "another rule besides", rules: [about(["get"]), about(["get"], ["x"])], reduced: true },
    { name: "only its deletion", rules: [about(["delete"])], reduced: false },
    { name: "another secret", rules: [about(["*"], ["other"])], reduced: false },
    {
      name: "all secrets",
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }],
      reduced: false,
    },
    { name: "nothing", rules: null, reduced: false },
  ]) {
    it(`that allow ${name} ${reduced ? "become" : "do not become"} its deletion alone`, () => {
      expect(reducedRules(role(rules), secret)).to.deep.equal(
        reduced ? [about(["delete"])] : undefined,
      );
    });
  }
});
