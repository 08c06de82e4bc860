import type { GlobalRole, GlobalRoleBinding } from "@drover/crds";
import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import { changedContent, immutableProblem, labelProblem, setOnceProblem } from "./immutable.ts";

const none: Partial<GlobalRole> = {};

describe("changedContent", () => {
  for (const { name, before, after, expected } of [
    { name: "nothing", before: none, after: none, expected: [] },
    {
      name: "a text",
      before: { displayName: "a" },
      after: { displayName: "b" },
      expected: ["displayName"],
    },
    { name: "an empty text for none", before: { description: "" }, after: none, expected: [] },
    { name: "false for none", before: none, after: { builtin: false }, expected: [] },
    { name: "true for none", before: none, after: { builtin: true }, expected: ["builtin"] },
    { name: "an empty list for none", before: { rules: [] }, after: { rules: [] }, expected: [] },
    { name: "an empty map for none", before: none, after: { namespacedRules: {} }, expected: [] },
    {
      name: "the order of a list",
      before: { inheritedClusterRoles: ["a", "b"] },
      after: { inheritedClusterRoles: ["b", "a"] },
      expected: ["inheritedClusterRoles"],
    },
    {
      name: "something deep",
      before: { inheritedFleetWorkspacePermissions: { workspaceVerbs: ["get"] } },
      after: { inheritedFleetWorkspacePermissions: { workspaceVerbs: ["get", "list"] } },
      expected: ["inheritedFleetWorkspacePermissions"],
    },
    { name: "the status", before: none, after: { status: { summary: "Error" } }, expected: [] },
    {
      name: "metadata",
      before: none,
      after: { metadata: { name: "other", labels: { a: "b" } } },
      expected: [],
    },
  ]) {
    it(`of ${name} is ${expected.join(", ") || "nothing"}`, () => {
      expect(
        changedContent({ ...aGlobalRole(), ...before }, { ...aGlobalRole(), ...after }),
      ).to.deep.equal(expected);
    });
  }
});

describe("fields that stay", () => {
  const named = aGlobalRoleBinding({ userName: "a" });
  const { userName: _, ...rest } = named;
  const unnamed: GlobalRoleBinding = rest;
  const other = { ...named, userName: "b" };

  for (const { name, before, after, fixed, once } of [
    { name: "the same", before: named, after: named, fixed: false, once: false },
    { name: "another value", before: named, after: other, fixed: true, once: true },
    { name: "a value that goes", before: named, after: unnamed, fixed: true, once: true },
    { name: "a value that comes", before: unnamed, after: named, fixed: true, once: false },
    {
      name: "an empty value for none",
      before: unnamed,
      after: { ...named, userName: "" },
      fixed: false,
      once: false,
    },
  ]) {
    it(`tell ${name}`, () => {
      expect(immutableProblem(before, after, ["userName"]) !== undefined).to.equal(fixed);
      expect(setOnceProblem(before, after, ["userName"]) !== undefined).to.equal(once);
    });
  }
});

describe("labelProblem", () => {
  const labelled = (value?: string) =>
    aGlobalRole({ metadata: value === undefined ? {} : { labels: { owner: value } } });

  for (const { name, before, after, refused } of [
    { name: "keeps", before: labelled("a"), after: labelled("a"), refused: false },
    { name: "refuses to change", before: labelled("a"), after: labelled("b"), refused: true },
    { name: "refuses to empty", before: labelled("a"), after: labelled(""), refused: true },
    { name: "refuses to lose", before: labelled("a"), after: labelled(), refused: true },
    { name: "lets come", before: labelled(), after: labelled("a"), refused: false },
  ]) {
    it(`${name} a label`, () => {
      expect(labelProblem(before, after, "owner") !== undefined).to.equal(refused);
    });
  }

  it("can also refuse that it comes", () => {
    expect(labelProblem(labelled(), labelled("a"), "owner", { added: false })).to.contain("owner");
  });
});
