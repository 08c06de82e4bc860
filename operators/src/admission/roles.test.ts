import {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  RoleTemplate,
} from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { expect } from "chai";
import { RunningAdmission } from "../testing/admission.ts";
import {
  clusterRoleTemplateBindingMutator,
  clusterRoleTemplateBindingValidator,
} from "./cluster-role-template-bindings/index.ts";
import {
  globalRoleBindingMutator,
  globalRoleBindingValidator,
} from "./global-role-bindings/index.ts";
import { globalRoleValidator } from "./global-roles/index.ts";
import {
  projectRoleTemplateBindingMutator,
  projectRoleTemplateBindingValidator,
} from "./project-role-template-bindings/index.ts";
import { rbacObjectValidators } from "./rbac-objects/index.ts";
import { roleTemplateValidator } from "./role-templates/index.ts";
import { accepted, aPerson, may, mayWrite, refusal } from "./testing/people.ts";
import { clusterWithNamespace, projectWithNamespace } from "./testing/places.ts";

const webhooks = [
  roleTemplateValidator,
  globalRoleValidator,
  globalRoleBindingValidator,
  globalRoleBindingMutator,
  clusterRoleTemplateBindingValidator,
  clusterRoleTemplateBindingMutator,
  projectRoleTemplateBindingValidator,
  projectRoleTemplateBindingMutator,
  ...rbacObjectValidators,
];

describe("webhooks of roles, all together", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks });
  });
  after(() => running[Symbol.asyncDispose]());

  it("judge a role from its template to its bindings, each made right after the other", async () => {
    const { client, own } = running;
    const cluster = await clusterWithNamespace(own);
    const project = await projectWithNamespace(own, cluster);
    const { name: clusterName } = cluster.metadata;

    const inCluster = await client.create(aRoleTemplate());
    const inProject = await client.create(aRoleTemplate({ context: "project" }));
    const role = await client.create(
      aGlobalRole({ inheritedClusterRoles: [inCluster.metadata.name] }),
    );
    await client.create(aGlobalRoleBinding({ globalRoleName: role.metadata.name }));
    await client.create(
      aClusterRoleTemplateBinding({
        metadata: { namespace: clusterName },
        clusterName,
        roleTemplateName: inCluster.metadata.name,
      }),
    );
    await client.create(
      aProjectRoleTemplateBinding({
        metadata: { namespace: project.status?.backingNamespace ?? "" },
        projectName: `${clusterName}:${project.metadata.name}`,
        roleTemplateName: inProject.metadata.name,
      }),
    );
  });

  it("give nobody more than they hold, by no way around", async () => {
    const { own } = running;
    const { name: clusterName } = (await clusterWithNamespace(own)).metadata;
    const wide = await own.create(aRoleTemplate({ rules: [may("get", "secrets")] }));
    const root = await own.create(aGlobalRole({ rules: [may("get", "secrets")] }));
    const person = await aPerson(running, [
      may("get", "nodes"),
      ...[RoleTemplate, GlobalRole, GlobalRoleBinding, ClusterRoleTemplateBinding].map((kind) =>
        mayWrite(kind),
      ),
    ]);
    const mine = await accepted(() =>
      person.client.create(aRoleTemplate({ rules: [may("get", "nodes")] })),
    );
    const { name: mineName } = mine.metadata;
    const { name: wideName } = wide.metadata;

    const ways = [
      () => person.client.create(aRoleTemplate({ roleTemplateNames: [wideName] })),
      () => person.client.patch(mine, { merge: { roleTemplateNames: [wideName] } }),
      () => person.client.patch(mine, { merge: { external: true } }),
      () => person.client.create(aGlobalRole({ rules: [], inheritedClusterRoles: [wideName] })),
      () => person.client.create(aGlobalRole({ rules: [], inheritedClusterRoles: [mineName] })),
      () =>
        person.client.create(aGlobalRole({ rules: [], namespacedRules: { ns: wide.rules ?? [] } })),
      () => person.client.patch(root, { merge: { newUserDefault: true } }),
      () => person.client.create(aGlobalRoleBinding({ globalRoleName: root.metadata.name })),
      () =>
        person.client.create(
          aClusterRoleTemplateBinding({
            metadata: { namespace: clusterName },
            clusterName,
            roleTemplateName: wideName,
          }),
        ),
    ];
    const refusals = await Promise.all(ways.map((way) => refusal(way())));

    expect(refusals.map(({ code }) => code)).to.deep.equal([
      ...[403, 403, 400, 403, 403, 403, 403, 403, 422],
    ]);
  });
});
