import { expect } from "chai";
import type { ServedKind } from "kopf-ts";
import { QuestionError, readQuestion } from "./question.ts";

const serves = (plural: string, group: string, fields: Partial<ServedKind> = {}): ServedKind => ({
  ...{ group, version: "v1", plural, scope: "Namespaced", verbs: ["get"] },
  kind: `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`,
  singular: plural.slice(0, -1),
  ...{ shortNames: [], categories: [], subresources: [], preferred: true },
  ...fields,
});
const served = [
  serves("pods", "", { shortNames: ["po"] }),
  serves("events", "", { preferred: false }),
  serves("events", "events.k8s.io"),
  serves("deployments", "apps", { shortNames: ["deploy"] }),
  serves("nodes", "management.cattle.io", { version: "v3" }),
];

describe("readQuestion", () => {
  for (const { text, group, resource } of [
    { text: "pods", group: "", resource: "pods" },
    { text: "PODS", group: "", resource: "pods" },
    { text: "pod", group: "", resource: "pods" },
    { text: "po", group: "", resource: "pods" },
    { text: "pods/exec", group: "", resource: "pods/exec" },
    { text: "deployments.apps", group: "apps", resource: "deployments" },
    { text: "deploy/scale", group: "apps", resource: "deployments/scale" },
    { text: "nodes", group: "management.cattle.io", resource: "nodes" },
    { text: "events", group: "", resource: "events" },
    { text: "events.events.k8s.io", group: "events.k8s.io", resource: "events" },
  ]) {
    it(`reads ${text}`, () => {
      const { wish } = readQuestion("List", text, undefined, served);

      expect(wish).to.deep.equal({ verb: "list", apiGroup: group, resource });
    });
  }

  it("asks about one object where one is named", () => {
    expect(readQuestion("get", "pods", "a", served).wish).to.include({ name: "a" });
  });

  for (const text of ["", "/healthz", "pods/", "pods/exec/x"]) {
    it(`refuses "${text}", and says how to write it`, () => {
      expect(() => readQuestion("get", text, undefined, served)).to.throw(
        QuestionError,
        `write ${JSON.stringify(text)} as a resource such as pods, deployments.apps or pods/exec`,
      );
    });
  }

  it("refuses what is not served, and says where names come from", () => {
    expect(() => readQuestion("get", "podz", undefined, served)).to.throw(
      QuestionError,
      'the cluster serves no resource "podz"; name it as `kubectl api-resources` does',
    );
  });
});
