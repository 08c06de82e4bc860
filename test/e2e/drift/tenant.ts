/** One tenant that makes every concern bring something along in the second cluster. */

import {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  User,
} from "@drover/crds";
import { type Client, type Kind, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, Namespace, Secret } from "kopf-ts/kinds";
import { type Pair, second } from "../pair.ts";

const project = "p-drift";
const namespaces = ["drift-web", "drift-api"] as const;

type Fields = Readonly<Record<string, unknown>>;

function object(kind: Kind, name: string, fields: Fields = {}, metadata: Fields = {}): KubeObject {
  const ref = refTo(kind, name);
  return { ...ref, ...fields, metadata: { ...ref.metadata, ...metadata } };
}

function allow(apiGroup: string, resource: string, ...verbs: readonly string[]) {
  return { apiGroups: [apiGroup], resources: [resource], verbs };
}

const management = "management.cattle.io";

/** One inherits two others, one has rules that count outside of namespaces, one is external. */
const templates: readonly KubeObject[] = [
  object(RoleTemplate, "drift-base", {
    ...{ displayName: "base", context: "project" },
    rules: [allow("", "secrets", "get"), allow(management, "projectroletemplatebindings", "list")],
  }),
  object(RoleTemplate, "drift-nodes", {
    ...{ displayName: "nodes", context: "project" },
    rules: [allow("", "nodes", "get"), allow("", "configmaps", "get")],
  }),
  object(RoleTemplate, "drift-team", {
    ...{ displayName: "team", context: "project" },
    roleTemplateNames: ["drift-base", "drift-nodes"],
    rules: [allow("", "namespaces", "create"), allow(management, "projects", "updatepsa")],
  }),
  object(RoleTemplate, "drift-cluster", {
    ...{ displayName: "cluster", context: "cluster" },
    rules: [
      allow("", "nodes", "list"),
      allow(management, "projects", "get"),
      allow(management, "clusterregistrationtokens", "get"),
      allow(management, "projectroletemplatebindings", "get"),
    ],
  }),
  object(RoleTemplate, "drift-external", {
    ...{ displayName: "external", context: "project", external: true },
  }),
];

const people: readonly KubeObject[] = [
  object(User, "u-jane", { username: "jane" }),
  object(User, "u-joe", { username: "joe" }),
  object(GlobalRole, "drift-global", {
    displayName: "global",
    rules: [allow("", "nodes", "get")],
    namespacedRules: { default: [allow("", "configmaps", "get")] },
    inheritedClusterRoles: ["drift-cluster"],
    inheritedNamespacedRules: { [namespaces[0]]: [allow("", "pods", "get")] },
    inheritedFleetWorkspacePermissions: {
      resourceRules: [allow("fleet.cattle.io", "gitrepos", "get")],
      workspaceVerbs: ["get"],
    },
  }),
  object(GlobalRoleBinding, "drift-jane", { userName: "u-jane", globalRoleName: "drift-global" }),
  object(GlobalRoleBinding, "drift-admin", { userName: "u-joe", globalRoleName: "admin" }),
];

const projectOfTenant = object(
  Project,
  project,
  {
    spec: {
      ...{ displayName: project, clusterName: second },
      resourceQuota: { limit: { pods: "20", limitsCpu: "4000m" } },
      namespaceDefaultResourceQuota: { limit: { pods: "5", limitsCpu: "1000m" } },
      containerDefaultResourceLimit: { requestsCpu: "50m", limitsCpu: "100m" },
    },
  },
  { namespace: second },
);

/** What is in the backing namespace: two members, and a Secret for all namespaces. */
function inProject(namespace: string): readonly KubeObject[] {
  const projectName = `${second}:${project}`;
  const roleOf = (user: string, roleTemplateName: string) => ({
    ...{ userName: `u-${user}`, projectName, roleTemplateName },
  });
  const shared = {
    "management.cattle.io/project-scoped-secret": project,
    "management.cattle.io/project-scoped-secret-cluster": second,
  };
  return [
    object(ProjectRoleTemplateBinding, "drift-jane", roleOf("jane", "drift-team"), { namespace }),
    object(ProjectRoleTemplateBinding, "drift-joe", roleOf("joe", "drift-base"), { namespace }),
    object(ProjectRoleTemplateBinding, "drift-ext", roleOf("joe", "drift-external"), { namespace }),
    object(Secret, "drift-shared", { stringData: { a: "b" } }, { namespace, labels: shared }),
  ];
}

/** Declares it all; resolves when it is stored, long before it is settled. */
export async function declareTenant(pair: Pair): Promise<void> {
  const { person } = pair.hub;
  const external = object(ClusterRole, "drift-external", { rules: [allow("", "events", "get")] });
  await createAll(person, [external, ...templates, ...people]);
  await createAll(pair.cluster.person, [external]);
  await pair.importSecond({ enableNetworkPolicy: true });
  await createAll(person, [
    projectOfTenant,
    object(
      ...[ClusterRoleTemplateBinding, "drift-joe"],
      { userName: "u-joe", clusterName: second, roleTemplateName: "drift-cluster" },
      { namespace: second },
    ),
  ]);
  const projectId = { "field.cattle.io/projectId": `${second}:${project}` };
  for (const name of namespaces) {
    await pair.cluster.person.create(object(Namespace, name, {}, { annotations: projectId }));
  }
  const backing = await pair.backingNamespace(project);
  await createAll(person, inProject(backing));
}

async function createAll(client: Client, objects: readonly KubeObject[]): Promise<void> {
  for (const each of objects) await client.create(each);
}
