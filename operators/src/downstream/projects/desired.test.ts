import { annotations, labels, type Project } from "@drover/crds";
import { aProject } from "@drover/crds/testing";
import { expect } from "chai";
import type { Namespace } from "kopf-ts/kinds";
import {
  goesWithProject,
  isFree,
  isRanchers,
  namespaceRoles,
  offerOf,
  takeIn,
  takeOut,
} from "./desired.ts";
import { offeredAnnotation } from "./names.ts";

type Entries = Readonly<Record<string, string>>;

const project = (said: { labels?: Entries; annotations?: Entries } = {}): Project =>
  aProject({ metadata: { namespace: "c-x", name: "p-y", ...said } });
const namespace = (name: string, said: Entries = {}, deletionTimestamp?: string): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name,
    resourceVersion: "1",
    annotations: said,
    ...(deletionTimestamp && { deletionTimestamp }),
  },
});

describe("namespaceRoles", () => {
  const manage = {
    verbs: ["manage-namespaces"],
    apiGroups: ["management.cattle.io"],
    resources: ["projects"],
    resourceNames: ["p-y"],
  };

  it("name the project's namespaces in order, and themselves in an annotation", () => {
    const [read, edit] = namespaceRoles(project(), ["b", "a"]);

    const about = { apiGroups: [""], resources: ["namespaces"], resourceNames: ["a", "b"] };
    expect(read?.rules).to.deep.equal([{ verbs: ["get"], ...about }]);
    expect(edit?.rules).to.deep.equal([{ verbs: ["*"], ...about }, manage]);
    expect(read?.metadata).to.deep.equal({
      name: "p-y-namespaces-readonly",
      labels: { "drover.dev/project": "c-x-p-y" },
      annotations: { "authz.cluster.auth.io/project-namespaces": "p-y-namespaces-readonly" },
    });
  });

  it("are the one by which the first can be made, where there is none", () => {
    const roles = namespaceRoles(project(), []);

    expect(roles.map(({ metadata, rules }) => [metadata.name, rules])).to.deep.equal([
      ["p-y-namespaces-edit", [manage]],
    ]);
  });
});

describe("isRanchers", () => {
  const role = (annotated: string | undefined, owner?: string) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: {
      name: "p-y-namespaces-edit",
      annotations: annotated ? { "authz.cluster.auth.io/project-namespaces": annotated } : {},
      labels: owner ? { "drover.dev/project": owner } : {},
    },
  });
  for (const { name, found, expected } of [
    { name: "one that names itself", found: role("p-y-namespaces-edit"), expected: true },
    { name: "one that names another", found: role("other"), expected: false },
    { name: "one that names none", found: role(undefined), expected: false },
    { name: "one of ours", found: role("p-y-namespaces-edit", "c-x-p-y"), expected: false },
  ]) {
    it(`is ${expected} for ${name}`, () => expect(isRanchers(found)).to.equal(expected));
  }
});

describe("offerOf", () => {
  const settled = (type: string) => ({
    status: { conditions: [{ type, status: "True" as const }] },
  });
  const isDefault = { labels: { [labels.defaultProject]: "true" } };
  const isSystem = { labels: { [labels.systemProject]: "true" } };
  const offered = (text: string) => ({ ...isSystem, annotations: { [offeredAnnotation]: text } });

  for (const { name, of, names } of [
    { name: "nothing to any project", of: project(), names: undefined },
    { name: "default to the default project", of: project(isDefault), names: ["default"] },
    {
      name: "nothing to a default project that has had it",
      of: { ...project(isDefault), ...settled("DefaultNamespacesAssigned") },
      names: [],
    },
    { name: "all to the system project, each once", of: project(isSystem), names: ["a", "b"] },
    {
      name: "what the setting has gained since",
      of: { ...project(offered("a,c")), ...settled("SystemNamespacesAssigned") },
      names: ["b"],
    },
    {
      name: "nothing to one that a Rancher filled",
      of: { ...project(isSystem), ...settled("SystemNamespacesAssigned") },
      names: [],
    },
    {
      name: "all again to one that was not filled yet",
      of: project(offered("a")),
      names: ["a", "b"],
    },
  ]) {
    it(`is ${name}`, () => expect(offerOf(of, ["b", "a", "b"])?.names).to.deep.equal(names));
  }

  it("says what was offered to the system project", () => {
    expect(offerOf(project(isSystem), ["b", "a"])?.offered).to.equal("a,b");
    expect(offerOf(project(isDefault), ["b", "a"])?.offered).to.equal(undefined);
  });
});

describe("goesWithProject", () => {
  const made = { [annotations.creatorId]: "u-1" };
  for (const { name, found, expected } of [
    { name: "one that a person made", found: namespace("shop", made), expected: true },
    { name: "one that nobody made", found: namespace("shop"), expected: false },
    { name: "default", found: namespace("default", made), expected: false },
    { name: "one of Kubernetes", found: namespace("kube-system", made), expected: false },
    { name: "one of the setting", found: namespace("cattle-x", made), expected: false },
    {
      name: "one of the system",
      found: namespace("shop", { ...made, [annotations.systemNamespace]: "true" }),
      expected: false,
    },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(goesWithProject(found, ["cattle-x"])).to.equal(expected);
    });
  }
});

describe("isFree", () => {
  const inProject = { [annotations.projectId]: "c-x:p-z" };
  for (const { name, found, expected } of [
    { name: "one without project", found: namespace("a"), expected: true },
    {
      name: "one with an empty one",
      found: namespace("a", { [annotations.projectId]: "" }),
      expected: true,
    },
    { name: "one in a project", found: namespace("a", inProject), expected: false },
    { name: "one that goes", found: namespace("a", {}, "2026-01-01T00:00:00Z"), expected: false },
  ]) {
    it(`is ${expected} for ${name}`, () => expect(isFree(found)).to.equal(expected));
  }
});

describe("a namespace", () => {
  it("is taken in by its annotation, as it was seen", () => {
    expect(takeIn(namespace("a"), project())).to.deep.equal({
      metadata: { resourceVersion: "1", annotations: { "field.cattle.io/projectId": "c-x:p-y" } },
    });
  });

  it("is taken out by annotation and label", () => {
    const none = { "field.cattle.io/projectId": null };
    expect(takeOut(namespace("a"))).to.deep.equal({
      metadata: { resourceVersion: "1", annotations: none, labels: none },
    });
  });
});
