import type { PolicyRule } from "@drover/crds";
import { clusterMembership } from "@drover/platform";
import { expect } from "chai";
import { type Grant, projectMembership, projectRights } from "./desired.ts";

const apiGroup = "rbac.authorization.k8s.io";
const subject = { kind: "User", name: "u-ada", apiGroup } as const;
const own = (resource: string, names?: readonly string[]): PolicyRule => ({
  verbs: ["own"],
  apiGroups: ["management.cattle.io"],
  resources: [resource],
  ...(names && { resourceNames: names }),
});
const granting = (...rules: readonly PolicyRule[]): Grant => ({
  cluster: "c-1",
  project: "p-1",
  template: "rt",
  subject,
  rules,
});

describe("memberships of a project's people", () => {
  for (const { name, rules, cluster, project } of [
    { name: "no rules", rules: [], cluster: "c-1-clustermember", project: "p-1-projectmember" },
    {
      name: "ownership of projects",
      rules: [own("projects")],
      cluster: "c-1-clustermember",
      project: "p-1-projectowner",
    },
    {
      name: "ownership of another project",
      rules: [own("projects", ["p-2"])],
      cluster: "c-1-clustermember",
      project: "p-1-projectmember",
    },
    {
      name: "ownership of clusters",
      rules: [own("clusters")],
      cluster: "c-1-clusterowner",
      project: "p-1-projectmember",
    },
  ]) {
    it(`follow from ${name}`, () => {
      const grant = granting(...rules);

      expect(clusterMembership(grant).roleRef.name).to.equal(cluster);
      expect(projectMembership(grant).roleRef).to.deep.equal({
        apiGroup,
        kind: "Role",
        name: project,
      });
    });
  }

  it("are in the namespace of the cluster, one for each project", () => {
    const first = projectMembership(granting());
    const other = projectMembership({ ...granting(), project: "p-2" });

    expect(first.metadata.namespace).to.equal("c-1");
    expect(first.metadata.name).to.match(/^rb-[a-z2-7]{10}$/);
    expect(other.metadata.name).not.to.equal(first.metadata.name);
  });
});

describe("projectRights", () => {
  it("are those of the aggregator, in the project's namespace", () => {
    const binding = projectRights(granting(), "c-1-p-1");

    expect(binding.metadata.namespace).to.equal("c-1-p-1");
    expect(binding.roleRef.name).to.equal("rt-project-mgmt-aggregator");
    expect(binding.subjects).to.deep.equal([subject]);
    expect(binding.metadata.labels).to.deep.equal({
      "management.cattle.io/roletemplate-aggregation-mgmt": "true",
    });
  });
});
