import { annotations } from "@drover/crds";
import { expect } from "chai";
import type { Namespace } from "kopf-ts/kinds";
import { containerLimitAnnotation } from "../names.ts";
import {
  changesPodSecurity,
  containerLimitProblem,
  newProjectId,
  podSecurityLabels,
} from "./rules.ts";

interface Marks {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}
const namespace = (marks: Marks = {}): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", ...marks },
});
const inProject = (id: string): Namespace =>
  namespace({ annotations: { [annotations.projectId]: id } });

describe("newProjectId", () => {
  for (const { name, before, after, expected } of [
    {
      name: "a namespace of no project",
      before: undefined,
      after: namespace(),
      expected: undefined,
    },
    { name: "a new one in a project", before: undefined, after: inProject("a:b"), expected: "a:b" },
    {
      name: "one that stays",
      before: inProject("a:b"),
      after: inProject("a:b"),
      expected: undefined,
    },
    { name: "one that moves", before: inProject("a:b"), after: inProject("a:c"), expected: "a:c" },
    { name: "one that joins", before: namespace(), after: inProject("a:c"), expected: "a:c" },
    { name: "one that leaves", before: inProject("a:b"), after: namespace(), expected: undefined },
    {
      name: "one that leaves with an empty text",
      before: inProject("a:b"),
      after: inProject(""),
      expected: undefined,
    },
  ]) {
    it(`of ${name} is ${expected}`, () => expect(newProjectId(after, before)).to.equal(expected));
  }
});

describe("changesPodSecurity", () => {
  const labelled = (labels: Readonly<Record<string, string>>): Namespace => namespace({ labels });

  it("knows the six labels of Kubernetes", () => {
    expect(podSecurityLabels).to.have.members([
      "pod-security.kubernetes.io/enforce",
      "pod-security.kubernetes.io/enforce-version",
      "pod-security.kubernetes.io/audit",
      "pod-security.kubernetes.io/audit-version",
      "pod-security.kubernetes.io/warn",
      "pod-security.kubernetes.io/warn-version",
    ]);
  });

  for (const label of podSecurityLabels) {
    it(`sees ${label} set, changed and removed`, () => {
      expect(changesPodSecurity(labelled({ [label]: "x" }), undefined)).to.equal(true);
      expect(changesPodSecurity(labelled({ [label]: "x" }), labelled({}))).to.equal(true);
      expect(changesPodSecurity(labelled({ [label]: "x" }), labelled({ [label]: "y" }))).to.equal(
        true,
      );
      expect(changesPodSecurity(labelled({}), labelled({ [label]: "y" }))).to.equal(true);
      expect(changesPodSecurity(labelled({ [label]: "y" }), labelled({ [label]: "y" }))).to.equal(
        false,
      );
    });
  }

  it("does not see other labels", () => {
    expect(changesPodSecurity(labelled({ team: "a" }), labelled({ team: "b" }))).to.equal(false);
  });
});

describe("limits of containers in a namespace", () => {
  const limited = (text: string): Namespace =>
    namespace({ annotations: { [containerLimitAnnotation]: text } });
  const path = `annotation ${containerLimitAnnotation}`;

  for (const { text, expected } of [
    { text: "", expected: undefined },
    { text: "{}", expected: undefined },
    { text: '{"requestsCpu":"1","limitsCpu":"2"}', expected: undefined },
    { text: "no", expected: `${path} must be a JSON object` },
    { text: "[]", expected: `${path} must be a JSON object` },
    { text: "null", expected: `${path} must be a JSON object` },
    {
      text: '{"requestsMemory":"2Gi","limitsMemory":"1Gi"}',
      expected: `requestsMemory in ${path} must not be above limitsMemory`,
    },
  ]) {
    it(`are ${expected === undefined ? "fine" : "wrong"} with ${text || "an empty text"}`, () => {
      expect(containerLimitProblem(limited(text), undefined)).to.equal(expected);
      expect(containerLimitProblem(limited(text), limited(text))).to.equal(undefined);
    });
  }
});
