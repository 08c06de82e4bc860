import { annotations, type Cluster, projectNames } from "@drover/crds";
import { aCluster, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import {
  creatorBinding,
  creatorTemplates,
  defaultProjects,
  membershipClusterRoles,
  newProject,
} from "./desired.ts";

const { creatorId, creatorPrincipalName, creatorRoleBindings, noCreatorRbac } = annotations;
const named = (notes: Readonly<Record<string, string>> = {}, uid = "u-1"): Cluster =>
  aCluster({ metadata: { name: "c-prod", uid, annotations: notes } });

describe("the ClusterRoles of a cluster's members", () => {
  it("let members get the Cluster and owners change it, and no other", () => {
    const [member, owner] = membershipClusterRoles(named());

    const target = {
      apiGroups: ["management.cattle.io"],
      resources: ["clusters"],
      resourceNames: ["c-prod"],
    };
    expect(member?.metadata.name).to.equal("c-prod-clustermember");
    expect(member?.rules).to.deep.equal([{ ...target, verbs: ["get"] }]);
    expect(owner?.metadata.name).to.equal("c-prod-clusterowner");
    const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"];
    expect(owner?.rules).to.deep.equal([{ ...target, verbs: [...verbs, "deletecollection"] }]);
    expect(owner?.metadata.labels).to.deep.equal({ "drover.dev/cluster": "c-prod" });
  });
});

describe("a default project", () => {
  for (const { displayName, label, title } of defaultProjects.map((each) => ({
    ...each,
    title: each.displayName,
  }))) {
    it(`called ${title} is as the webhook would have made it`, () => {
      const wanted = defaultProjects.find((each) => each.displayName === displayName);
      const project = wanted && newProject(wanted, named({ [creatorId]: "u-ada" }), ["owner"]);

      expect(project?.metadata.name).to.match(/^p-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(project?.metadata.namespace).to.equal("c-prod");
      expect(project?.metadata.labels).to.deep.equal({ [label]: "true" });
      expect(project?.metadata.annotations).to.deep.equal({
        [creatorId]: "u-ada",
        [creatorRoleBindings]: '{"required":["owner"]}',
      });
      expect(project?.spec).to.deep.equal({
        displayName,
        description: `${displayName} project created for the cluster`,
        clusterName: "c-prod",
      });
      const backing = projectNames.backingNamespace("c-prod", project?.metadata.name ?? "");
      expect(project?.status).to.deep.equal({ backingNamespace: backing });
    });
  }

  it("has the creator's annotations, whatever they are, and no others", () => {
    const notes = { [creatorId]: "u", [creatorPrincipalName]: "github_user://1", other: "x" };
    const [wanted] = defaultProjects;

    const made = wanted && newProject(wanted, named(notes), []).metadata.annotations;
    const silent = wanted && newProject(wanted, named({ [noCreatorRbac]: "" }), []);

    expect(made).to.have.all.keys(creatorId, creatorPrincipalName, creatorRoleBindings);
    expect(silent?.metadata.annotations).to.have.all.keys(noCreatorRbac, creatorRoleBindings);
  });

  it("has a name that follows from the cluster's uid and from which it is", () => {
    const names = [named({}, "u-1"), named({}, "u-1"), named({}, "u-2")].map((cluster) =>
      defaultProjects.map((each) => newProject(each, cluster, []).metadata.name),
    );

    expect(names[0]).to.deep.equal(names[1]);
    expect(new Set(names.flat())).to.have.property("size", 4);
  });
});

describe("creatorTemplates", () => {
  const templates = [
    aRoleTemplate({ metadata: { name: "b" }, clusterCreatorDefault: true }),
    aRoleTemplate({ metadata: { name: "a" }, clusterCreatorDefault: true, locked: false }),
    aRoleTemplate({ metadata: { name: "locked" }, clusterCreatorDefault: true, locked: true }),
    aRoleTemplate({ metadata: { name: "other" } }),
    aRoleTemplate({ metadata: { name: "project" }, projectCreatorDefault: true }),
    aRoleTemplate({
      metadata: { name: "leaving", deletionTimestamp: "2026-01-01T00:00:00Z" },
      clusterCreatorDefault: true,
    }),
  ];

  it("are those marked for creators that may be given, in the order of their names", () => {
    expect(creatorTemplates(templates, "clusterCreatorDefault")).to.deep.equal(["a", "b"]);
    expect(creatorTemplates(templates, "projectCreatorDefault")).to.deep.equal(["project"]);
  });
});

describe("a creator's binding", () => {
  for (const subject of [{ userName: "u-ada" }, { userPrincipalName: "github_user://1" }]) {
    it(`names the creator by ${Object.keys(subject)[0]} alone`, () => {
      const binding = creatorBinding(named(), "cluster-owner", subject);

      expect(binding).to.deep.equal({
        apiVersion: "management.cattle.io/v3",
        kind: "ClusterRoleTemplateBinding",
        metadata: {
          name: "creator-cluster-owner",
          namespace: "c-prod",
          annotations: { "authz.management.cattle.io/creator-owner-binding": "true" },
        },
        clusterName: "c-prod",
        roleTemplateName: "cluster-owner",
        ...subject,
      });
    });
  }
});
