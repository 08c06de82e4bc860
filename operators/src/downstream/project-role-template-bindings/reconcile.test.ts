import {
  createNamespacesTemplate,
  membershipKey,
  namespaceRoles,
  type PolicyRule,
  Project,
  ProjectRoleTemplateBinding,
  projectBindingOwnerKey,
  RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { aProject, aProjectRoleTemplateBinding, aRoleTemplate } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { clusterRoleRef, mayDo, sharedClusterRoleBinding } from "@drover/platform";
import { expect } from "chai";
import { type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsIn } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { projectRoleTemplateBindings } from "./index.ts";

const pods: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const create: PolicyRule = { verbs: ["create"], apiGroups: [""], resources: ["namespaces"] };
const loosen: PolicyRule = {
  verbs: ["updatepsa"],
  apiGroups: ["management.cattle.io"],
  resources: ["projects"],
};
const annotation = "field.cattle.io/projectId";

describe("downstream project-role-template-bindings on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream((running) => {
    concern = running;
  });

  const run = () => concern.run(projectRoleTemplateBindings);

  /** A project with its backing namespace, which has the same name here. */
  const someProject = async (name = uniqueName("p")): Promise<string> => {
    await concern.hub.create(refTo(Namespace, name));
    await concern.hub.create(
      aProject({
        metadata: { name, namespace: concern.name },
        spec: { displayName: name, clusterName: concern.name },
      }),
    );
    return name;
  };
  const aNamespace = async (project: string | undefined): Promise<string> => {
    const name = uniqueName("ns");
    const annotations = { [annotation]: `${concern.name}:${project}` };
    await concern.cluster.create({
      ...refTo(Namespace, name),
      metadata: { name, ...(project !== undefined && { annotations }) },
    });
    return name;
  };
  const move = (namespace: string, project: string | null) =>
    concern.cluster.patch(refTo(Namespace, namespace), {
      merge: {
        metadata: { annotations: { [annotation]: project && `${concern.name}:${project}` } },
      },
    });
  /** A template, with its aggregator in the cluster as it was filled. */
  const aTemplate = async (rules: readonly PolicyRule[] = [pods]): Promise<string> => {
    const { metadata } = await concern.hub.create(aRoleTemplate({ context: "project", rules }));
    await anAggregator(metadata.name, roleTemplateNames.aggregator, rules);
    return metadata.name;
  };
  const anAggregator = (
    template: string,
    name: (template: string) => string,
    rules: readonly PolicyRule[],
  ) => {
    const labels = { [roleTemplateLabels.clusterRoleOwner]: template };
    const metadata = { name: name(template), labels };
    return concern.cluster.create({ ...refTo(ClusterRole, ""), metadata, rules } as ClusterRole);
  };

  type Fields = Partial<Omit<ProjectRoleTemplateBinding, "metadata">>;
  const aBinding = (project: string, fields: Fields, name = uniqueName("prtb")) =>
    aProjectRoleTemplateBinding({
      userName: uniqueName("u"),
      projectName: `${concern.name}:${project}`,
      roleTemplateName: uniqueName("rt"),
      ...fields,
      metadata: { name, namespace: project },
    });
  const bind = (project: string, fields: Fields, name?: string) =>
    concern.hub.create(aBinding(project, fields, name));
  const remove = (object: KubeObject) => concern.hub.delete(object, { preconditions: "none" });
  const bindingsIn = async (namespace: string) =>
    (await concern.cluster.list(RoleBinding, { namespace })).items;
  const rolesOf = async ({ userName }: ProjectRoleTemplateBinding) =>
    (await concern.cluster.list(ClusterRoleBinding)).items
      .filter(({ subjects }) => subjects?.[0]?.name === userName)
      .map(({ roleRef }) => roleRef.name)
      .toSorted();
  const has = (binding: ProjectRoleTemplateBinding, ...roles: readonly string[]) =>
    until(async () => (await rolesOf(binding)).join() === roles.toSorted().join());
  const may = (username: string | undefined, namespace: string) =>
    mayDo(
      concern.cluster,
      { username: username ?? "", groups: [] },
      { verb: "get", resource: "pods", namespace },
    );
  const mayNot = async (username: string | undefined, namespace: string) =>
    !(await may(username, namespace));

  it("case 54, 56: grants the template in the namespaces of the project, and takes it back", async () => {
    await run();
    const [one, other] = [await someProject(), await someProject()];
    const [first, second] = [await aNamespace(one), await aNamespace(other)];
    const fields = { roleTemplateName: await aTemplate(), userName: uniqueName("u") };
    const bound = [await bind(one, fields), await bind(other, fields)] as const;
    await until(() => may(fields.userName, first));
    await until(() => may(fields.userName, second));

    await remove(bound[0]);
    await until(() => mayNot(fields.userName, first));

    expect(await may(fields.userName, second)).to.equal(true);
    await has(bound[1], namespaceRoles.readonly(other));
  });

  it("follows namespaces that come, move and go", async () => {
    await run();
    const [project, elsewhere] = [await someProject(), await someProject()];
    const binding = await bind(project, { roleTemplateName: await aTemplate() });
    const namespace = await aNamespace(project);
    await until(() => may(binding.userName, namespace));

    await move(namespace, elsewhere);
    await until(() => mayNot(binding.userName, namespace));
    await move(namespace, project);
    await until(() => may(binding.userName, namespace));
    await move(namespace, null);
    await until(() => mayNot(binding.userName, namespace));

    expect(await bindingsIn(namespace)).to.deep.equal([]);
  });

  it("case 53: touches nothing in a namespace whose project nobody knows, until it is known", async () => {
    await run();
    const project = await someProject();
    const binding = await bind(project, { roleTemplateName: await aTemplate() });
    const namespace = await aNamespace(project);
    await until(() => may(binding.userName, namespace));

    const unknown = uniqueName("p");
    await move(namespace, unknown);
    await quiet(concern);
    const kept = await may(binding.userName, namespace);
    await someProject(unknown);

    await until(() => mayNot(binding.userName, namespace));
    expect(kept).to.equal(true);
  });

  it("case 62: grants what the aggregated rules allow with namespaces, also when these change late", async () => {
    await run();
    const project = await someProject();
    const template = await aTemplate();
    const binding = await bind(project, { roleTemplateName: template });
    const aggregator = refTo(ClusterRole, roleTemplateNames.aggregator(template));
    await has(binding, namespaceRoles.readonly(project));

    await concern.cluster.patch(aggregator, { merge: { rules: [pods, create] } });
    await has(binding, createNamespacesTemplate, namespaceRoles.edit(project));
    await concern.cluster.patch(aggregator, { merge: { rules: [create, loosen] } });
    await has(
      binding,
      createNamespacesTemplate,
      namespaceRoles.edit(project),
      namespaceRoles.psa(project),
    );
    const psa = await until(() => concern.cluster.find(ClusterRole, namespaceRoles.psa(project)));
    await concern.cluster.patch(aggregator, { merge: { rules: [pods] } });
    await has(binding, namespaceRoles.readonly(project));

    expect(psa?.rules).to.deep.equal([{ ...loosen, resourceNames: [project] }]);
    await until(
      async () => !(await concern.cluster.find(ClusterRole, namespaceRoles.psa(project))),
    );
  });

  it("case 60: grants promoted rules once there are any", async () => {
    await run();
    const project = await someProject();
    const template = await aTemplate();
    const binding = await bind(project, { roleTemplateName: template });
    await has(binding, namespaceRoles.readonly(project));

    const nodes = { verbs: ["get"], apiGroups: [""], resources: ["nodes"] };
    await anAggregator(template, roleTemplateNames.promotedAggregator, [nodes]);

    const promoted = roleTemplateNames.promotedAggregator(template);
    await has(binding, namespaceRoles.readonly(project), promoted);
    await concern.cluster.delete(refTo(ClusterRole, promoted));
    await has(binding, namespaceRoles.readonly(project));
  });

  it("goes by what templates tell while the aggregator is not filled", async () => {
    await run();
    const project = await someProject();
    const rules = [create];
    const { metadata } = await concern.hub.create(aRoleTemplate({ context: "project", rules }));

    const binding = await bind(project, { roleTemplateName: metadata.name });
    await has(binding, createNamespacesTemplate, namespaceRoles.edit(project));
    await quiet(concern);

    expect(writes(concern).map(({ verb }) => verb)).to.deep.equal(["create", "create"]);
  });

  it("shares what people have by two projects, also where both bindings have one name", async () => {
    await run();
    const [one, other] = [await someProject(), await someProject()];
    const fields = { roleTemplateName: await aTemplate([create]), userName: uniqueName("u") };
    const name = uniqueName("creator");
    const bound = [await bind(one, fields, name), await bind(other, fields, name)] as const;
    const [editOne, editOther] = [namespaceRoles.edit(one), namespaceRoles.edit(other)];
    await has(bound[0], createNamespacesTemplate, editOne, editOther);

    await remove(bound[0]);
    await has(bound[1], createNamespacesTemplate, editOther);
    await quiet(concern);
    const left = (await concern.cluster.list(ClusterRoleBinding)).items.filter(
      ({ subjects }) => subjects?.[0]?.name === fields.userName,
    );
    await concern.stop();
    await remove(bound[1]);
    await run();

    await has(bound[1]);
    const label = projectBindingOwnerKey(name);
    expect(left.map(({ metadata }) => metadata.labels?.[label])).to.deep.equal(["true", "true"]);
  });

  it("writes what must be there and nothing after a restart", async () => {
    await run();
    const project = await someProject();
    for (let at = 0; at < 3; at += 1) await aNamespace(project);
    await bind(project, { roleTemplateName: await aTemplate() });
    await until(() => writes(concern).length >= 4);
    await quiet(concern);
    const first = writes(concern);

    await run();
    await quiet(concern);

    expect(first.map(({ where, verb }) => `${where} ${verb}`)).to.deep.equal(
      Array(4).fill("cluster create"),
    );
    expect(writes(concern)).to.deep.equal(first);
  });

  it("case 63: puts back what people change, relabel or delete", async () => {
    await run();
    const project = await someProject();
    const binding = await bind(project, { roleTemplateName: await aTemplate([pods, loosen]) });
    const namespace = await aNamespace(project);
    const [made] = await until(async () => {
      const found = await bindingsIn(namespace);
      return found.length > 0 && found;
    });
    if (made === undefined) throw new Error("there is none");
    const ref = refTo(RoleBinding, made.metadata.name, namespace);

    await concern.cluster.patch(ref, { merge: { metadata: { labels: null } } });
    await until(async () => (await bindingsIn(namespace))[0]?.metadata.labels);
    await concern.cluster.patch(ref, {
      merge: { subjects: [{ kind: "User", name: "u-eve", apiGroup: RoleBinding.group }] },
    });
    await until(() => may(binding.userName, namespace));
    await until(() => mayNot("u-eve", namespace));
    await concern.cluster.delete(ref);
    await until(() => may(binding.userName, namespace));
    const psa = refTo(ClusterRole, namespaceRoles.psa(project));
    await concern.cluster.patch(psa, { merge: { rules: [pods] } });

    await until(
      async () =>
        (await concern.cluster.find(ClusterRole, psa.metadata.name))?.rules?.[0]?.verbs[0] ===
        "updatepsa",
    );
  });

  it("case 67: takes over what a Rancher made, deletes what its legacy model made, and leaves strangers' alone", async () => {
    const project = await someProject();
    const namespace = await aNamespace(project);
    const template = await aTemplate();
    const binding = aBinding(project, { roleTemplateName: template });
    const { name } = binding.metadata;
    const roleRef = {
      apiGroup: ClusterRole.group,
      kind: "ClusterRole",
      name: roleTemplateNames.aggregator(template),
    };
    const subjects = [{ kind: "User", name: binding.userName ?? "", apiGroup: ClusterRole.group }];
    const put = (metadata: KubeObject["metadata"]) =>
      concern.cluster.create({
        ...refTo(RoleBinding, ""),
        metadata: { namespace, ...metadata },
        roleRef,
        subjects,
      } as RoleBinding);
    const feature = { "management.cattle.io/roletemplate-aggregation": "true" };
    const legacy = { "authz.cluster.cattle.io/rtb-owner-updated": `${project}_${name}` };
    await put({
      name: "rb-stranger",
      labels: { ...feature, [projectBindingOwnerKey("x")]: "true" },
    });
    await put({ name: "rb-legacy", labels: legacy });

    await concern.hub.create(binding);
    await run();
    await until(async () =>
      (await bindingsIn(namespace)).every(({ metadata }) => metadata.name !== "rb-legacy"),
    );
    await until(async () => (await bindingsIn(namespace)).length === 2);
    await remove(binding);

    await until(async () => (await bindingsIn(namespace)).length === 1);
    expect((await bindingsIn(namespace))[0]?.metadata.name).to.equal("rb-stranger");
  });

  it("case 67: takes away what the legacy model granted outside of namespaces, and takes over what is granted still", async () => {
    const project = await someProject();
    const binding = aBinding(project, { roleTemplateName: await aTemplate() });
    const apiGroup = ClusterRole.group;
    const subject = { kind: "User", name: binding.userName ?? "", apiGroup } as const;
    const labels = { [membershipKey(project, binding.metadata.name)]: "owner-user" };
    const readonly = namespaceRoles.readonly(project);
    const put = (role: string, name: string) =>
      concern.cluster.create<ClusterRoleBinding>({
        ...refTo(ClusterRoleBinding, ""),
        metadata: { name, labels },
        roleRef: clusterRoleRef(role),
        subjects: [subject],
      });
    await put(namespaceRoles.edit(project), uniqueName("legacy"));
    const { name } = sharedClusterRoleBinding(clusterRoleRef(readonly), subject).metadata;
    const kept = await put(readonly, name);

    await concern.hub.create(binding);
    await run();
    await has(binding, readonly);
    const label = projectBindingOwnerKey(binding.metadata.name);
    const found = await until(async () => {
      const live = await concern.cluster.find(ClusterRoleBinding, name);
      return live?.metadata.labels?.[label] === "true" && live;
    });
    await remove(binding);
    await has(binding);

    expect(found.metadata.uid).to.equal(kept.metadata.uid);
  });

  it("tells of a missing template and a missing project, and grants once they are there", async () => {
    await run();
    const [project, template] = [uniqueName("p"), uniqueName("rt")];
    await concern.hub.create(refTo(Namespace, project));
    const binding = await bind(project, { roleTemplateName: template });
    const events = (pattern: RegExp) =>
      until(async () => {
        await concern.flush();
        const found = await eventsIn(concern.hub, project, binding.metadata.name);
        return found.find((each) => pattern.test(each));
      });

    await events(/^FailureToGetRoleTemplate: .*make it, or delete the binding/);
    await concern.hub.create(aRoleTemplate({ metadata: { name: template }, context: "project" }));
    await events(/^ProjectNotFound: /);
    const before = await rolesOf(binding);
    await concern.hub.create(aProject({ metadata: { name: project, namespace: concern.name } }));
    await has(binding, namespaceRoles.readonly(project));
    await concern.hub.delete(refTo(RoleTemplate, template));

    await has(binding);
    expect(before).to.deep.equal([]);
    expect(await concern.hub.find(Project, project, { namespace: concern.name })).not.to.equal(
      undefined,
    );
  });

  it("grants nothing for a binding in the namespace of another project", async () => {
    const [project, other] = [await someProject(), await someProject()];
    const namespace = await aNamespace(other);
    const template = await aTemplate();
    const foreign = aBinding(project, {
      roleTemplateName: template,
      projectName: `${concern.name}:${other}`,
    });
    await concern.hub.create(foreign);
    const proper = aBinding(other, { roleTemplateName: template });
    await concern.hub.create(proper);

    await run();
    await until(async () => (await bindingsIn(namespace)).length > 0);
    const told = await until(async () => {
      await concern.flush();
      const found = await eventsIn(concern.hub, project, foreign.metadata.name);
      return found.find((each) => each.startsWith("Misplaced: "));
    });

    expect(told).to.contain(`its project has "${other}"`);
    const bound = (await bindingsIn(namespace)).map(({ subjects }) => subjects?.[0]?.name);
    expect(bound).to.deep.equal([proper.userName]);
    expect(await rolesOf(foreign)).to.deep.equal([]);
  });

  it("grants nothing any more while somebody's finalizer holds a binding, and takes its own kind off", async () => {
    await run();
    const project = await someProject();
    const binding = aBinding(project, { roleTemplateName: await aTemplate() });
    const finalizers = [`clusterscoped.controller.cattle.io/x_${concern.name}`, "test.dev/hold"];
    await concern.hub.create({ ...binding, metadata: { ...binding.metadata, finalizers } });
    await has(binding, namespaceRoles.readonly(project));

    await remove(binding);
    await has(binding);

    const { name, namespace } = binding.metadata;
    const finalizersLeft = async (): Promise<readonly string[]> => {
      const held = await concern.hub.find(ProjectRoleTemplateBinding, name, { namespace });
      return held?.metadata.finalizers ?? [];
    };
    await until(async () => (await finalizersLeft()).length === 1); // after the roles
    expect(await finalizersLeft()).to.deep.equal(["test.dev/hold"]);
    await concern.hub.patch(binding, { merge: { metadata: { finalizers: null } } });
  });
});
