import { annotations, labels, type Project } from "@drover/crds";
import { aProject, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import type { ObjectMeta } from "kopf-ts";
import type { Namespace } from "kopf-ts/kinds";
import {
  backingNamespace,
  creatorBinding,
  isBacking,
  isForCreators,
  isWithoutCreator,
  membershipRoles,
  requiredRoles,
} from "./desired.ts";

const project = (metadata: Partial<ObjectMeta> = {}): Project =>
  aProject({
    metadata: { namespace: "c-x", name: "p-y", ...metadata },
    status: { backingNamespace: "c-x-p-y" },
  });
const annotated = (said: Readonly<Record<string, string>>): Project =>
  project({ annotations: said });

describe("backingNamespace", () => {
  const none = { labels: {}, annotations: {} };

  it("is of the system, and says whose it is", () => {
    expect(backingNamespace(project(), none).metadata).to.deep.equal({
      name: "c-x-p-y",
      labels: { "drover.dev/project": "c-x-p-y" },
      annotations: { "management.cattle.io/system-namespace": "true" },
    });
  });

  it("is named like a project that is older than such namespaces", () => {
    const old = { ...project(), status: {} };

    expect(backingNamespace(old, none).metadata.name).to.equal("p-y");
  });

  it("bears what people want on every namespace, but keeps its own", () => {
    const labels = { team: "x", "drover.dev/project": "other" };

    const { metadata } = backingNamespace(project(), { labels, annotations: { a: "b" } });

    expect(metadata.labels).to.deep.equal({ team: "x", "drover.dev/project": "c-x-p-y" });
    expect(metadata.annotations).to.include({ a: "b", [annotations.systemNamespace]: "true" });
  });
});

describe("isBacking", () => {
  const namespace = (metadata: Partial<ObjectMeta>): Namespace => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "c-x-p-y", ...metadata },
  });
  const system = { [annotations.systemNamespace]: "true" };

  for (const { name, metadata, other = false, expected } of [
    {
      name: "the label",
      metadata: { labels: { "drover.dev/project": "c-x-p-y" } },
      expected: true,
    },
    {
      name: "the label, also where something else has the name",
      metadata: { labels: { "drover.dev/project": "c-x-p-y" } },
      other: true,
      expected: true,
    },
    {
      name: "another's label",
      metadata: { labels: { "drover.dev/project": "c-x-p-z" }, annotations: system },
      expected: false,
    },
    { name: "a Rancher's annotation", metadata: { annotations: system }, expected: true },
    {
      name: "a Rancher's annotation where something else has the name",
      metadata: { annotations: system },
      other: true,
      expected: false,
    },
    { name: "nothing", metadata: {}, expected: false },
  ]) {
    it(`is ${expected} by ${name}`, () => {
      expect(isBacking(namespace(metadata), project(), () => other)).to.equal(expected);
    });
  }
});

describe("membershipRoles", () => {
  it("let members get the project and owners do everything, by name", () => {
    const roles = membershipRoles(project());

    const rules = roles.map(({ metadata, rules }) => [metadata.namespace, metadata.name, rules]);
    const rule = {
      apiGroups: ["management.cattle.io"],
      resources: ["projects"],
      resourceNames: ["p-y"],
    };
    const all = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
    expect(rules).to.deep.equal([
      ["c-x", "p-y-projectmember", [{ ...rule, verbs: ["get"] }]],
      ["c-x", "p-y-projectowner", [{ ...rule, verbs: all }]],
    ]);
  });

  it("have names of at most 63 characters", () => {
    const names = membershipRoles(project({ name: "p".repeat(200) })).map(
      ({ metadata }) => metadata.name,
    );

    expect(names.every((name) => name.length <= 63)).to.equal(true);
    expect(new Set(names).size).to.equal(2);
  });
});

describe("requiredRoles", () => {
  const said = { [annotations.creatorRoleBindings]: '{"required":["project-owner","viewer"]}' };
  const isDefault = { [labels.defaultProject]: "true" };
  const isSystem = { [labels.systemProject]: "true" };
  const defaults = ["auditor", "project-owner"];

  for (const { name, metadata, expected } of [
    {
      name: "what the annotation says",
      metadata: { annotations: said },
      expected: ["project-owner", "viewer"],
    },
    { name: "nothing for a project that is older than the annotation", metadata: {}, expected: [] },
    {
      name: "the defaults for a default project",
      metadata: { labels: isDefault },
      expected: defaults,
    },
    {
      name: "the defaults for a system project",
      metadata: { labels: isSystem },
      expected: defaults,
    },
    {
      name: "project-owner alone for the local default project",
      metadata: { namespace: "local", labels: isDefault, annotations: said },
      expected: ["project-owner"],
    },
    {
      name: "project-owner alone for the local system project",
      metadata: { namespace: "local", labels: isSystem },
      expected: ["project-owner"],
    },
    {
      name: "all for another local project",
      metadata: { namespace: "local", annotations: said },
      expected: ["project-owner", "viewer"],
    },
  ]) {
    it(`are ${name}`, () => {
      expect(requiredRoles(project(metadata), defaults)?.required).to.deep.equal(expected);
    });
  }

  it("cannot be told from an annotation that nobody can read", () => {
    const broken = annotated({ [annotations.creatorRoleBindings]: "[" });

    expect(requiredRoles(broken, defaults)).to.equal(null);
  });
});

describe("isForCreators", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  for (const { name, template, expected } of [
    { name: "a default", template: aRoleTemplate({ projectCreatorDefault: true }), expected: true },
    { name: "no default", template: aRoleTemplate(), expected: false },
    {
      name: "a locked one",
      template: aRoleTemplate({ projectCreatorDefault: true, locked: true }),
      expected: false,
    },
    {
      name: "one that goes",
      template: aRoleTemplate({ projectCreatorDefault: true, metadata: { deletionTimestamp } }),
      expected: false,
    },
  ]) {
    it(`is ${expected} for ${name}`, () => expect(isForCreators(template)).to.equal(expected));
  }
});

describe("isWithoutCreator", () => {
  for (const { name, said, expected } of [
    { name: "nobody is named", said: {}, expected: true },
    { name: "somebody is", said: { [annotations.creatorId]: "u-1" }, expected: false },
    {
      name: "no roles are wanted",
      said: { [annotations.creatorId]: "u-1", [annotations.noCreatorRbac]: "" },
      expected: true,
    },
  ]) {
    it(`is ${expected} where ${name}`, () => {
      expect(isWithoutCreator(annotated(said))).to.equal(expected);
    });
  }
});

describe("creatorBinding", () => {
  it("binds the user in the project's own namespace", () => {
    const { metadata, ...fields } = creatorBinding(
      annotated({ [annotations.creatorId]: "u-1" }),
      "project-owner",
    );

    expect(metadata).to.deep.equal({ name: "creator-project-owner", namespace: "c-x-p-y" });
    expect(fields).to.deep.equal({
      apiVersion: "management.cattle.io/v3",
      kind: "ProjectRoleTemplateBinding",
      userName: "u-1",
      projectName: "c-x:p-y",
      roleTemplateName: "project-owner",
    });
  });

  it("binds a principal of another provider instead", () => {
    const said = {
      [annotations.creatorId]: "u-1",
      [annotations.creatorPrincipalName]: "github_user://1",
    };

    const binding = creatorBinding(annotated(said), "project-owner");

    expect(binding.userPrincipalName).to.equal("github_user://1");
    expect(binding.userName).to.equal(undefined);
  });
});
