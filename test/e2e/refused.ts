/** Objects that are refused, each with what a person reads. */

/** One refusal; `as` is who asks, the administrator of the cluster unless told. */
export interface Refusal {
  readonly about: string;
  /** Applied before, by the administrator, and accepted. */
  readonly given?: string;
  /** Applied and refused; or what is deleted, as kubectl's arguments. */
  readonly yaml?: string;
  readonly delete?: readonly string[];
  readonly as?: string;
  readonly says: RegExp;
}

const object = (kind: string, name: string, fields: string): string =>
  `apiVersion: management.cattle.io/v3\nkind: ${kind}\nmetadata: { ${name} }\n${fields}\n`;
const documents = (...objects: readonly string[]): string => objects.join("---\n");

const rule = 'rules: [{ verbs: [get], apiGroups: [""], resources: [configmaps] }]';

export const refusals: readonly Refusal[] = [
  {
    about: "a read-only setting that is changed",
    yaml: object("Setting", "name: cacerts", "value: mine"),
    says: /cacerts.*readOnly/i,
  },
  {
    about: "a read-only setting that is deleted",
    delete: ["setting.management.cattle.io", "cacerts"],
    says: /cacerts.*readOnly/i,
  },
  {
    about: "users that are deleted after an hour",
    yaml: object("Setting", "name: delete-inactive-user-after", "value: 1h"),
    says: /delete-inactive-user-after.*336h/,
  },
  {
    about: "a cron expression that is none",
    yaml: object("Setting", "name: user-retention-cron", "value: every day"),
    says: /user-retention-cron.*cron/,
  },
  {
    about: "sessions that are idle longer than they live",
    yaml: object("Setting", "name: auth-user-session-idle-ttl-minutes", 'value: "100000"'),
    says: /auth-user-session-idle-ttl-minutes/,
  },
  {
    about: "registration tokens of ten minutes",
    yaml: object("Setting", "name: crt-default-ttl-minutes", 'value: "10"'),
    says: /crt-default-ttl-minutes.*30/,
  },
  {
    about: "a feature that is made up",
    yaml: object("Feature", "name: fast-mode", "spec: { value: true }"),
    says: /fast-mode|created/,
  },
  {
    about: "a global role that calls itself builtin",
    yaml: object("GlobalRole", "name: mine", `builtin: true\n${rule}`),
    says: /builtin/,
  },
  {
    about: "a builtin global role that is deleted",
    delete: ["globalrole.management.cattle.io", "user-base"],
    says: /builtin/,
  },
  {
    about: "a builtin global role with other rules",
    yaml: object("GlobalRole", "name: user-base", `builtin: true\ndisplayName: Mine\n${rule}`),
    says: /builtin/,
  },
  {
    about: "a rule without verbs",
    yaml: object(
      "GlobalRole",
      "name: no-verbs",
      'rules: [{ verbs: [], apiGroups: [""], resources: [pods] }]',
    ),
    says: /rules\[0\].*verb/,
  },
  {
    about: "a project's template among inheritedClusterRoles",
    yaml: object("GlobalRole", "name: inherits", "inheritedClusterRoles: [project-owner]"),
    says: /inheritedClusterRoles.*project-owner/,
  },
  {
    about: "a global binding to a role that is not there",
    yaml: object("GlobalRoleBinding", "name: nowhere", "userName: u-ada\nglobalRoleName: nowhere"),
    says: /globalRoleName.*nowhere/,
  },
  {
    about: "a global binding of two subjects",
    yaml: object(
      "GlobalRoleBinding",
      "name: two",
      "userName: u-ada\ngroupPrincipalName: github_org://1\nglobalRoleName: user-base",
    ),
    says: /subject|user.*group/i,
  },
  {
    about: "a global binding of nobody",
    yaml: object("GlobalRoleBinding", "name: nobody", "globalRoleName: user-base"),
    says: /subject|user.*group/i,
  },
  {
    about: "a global binding that changes its role",
    given: object(
      "GlobalRoleBinding",
      "name: grb-fixed",
      "userName: u-ada\nglobalRoleName: user-base",
    ),
    yaml: object(
      "GlobalRoleBinding",
      "name: grb-fixed",
      "userName: u-ada\nglobalRoleName: settings-manage",
    ),
    says: /globalRoleName.*(immutable|changed)/,
  },
  {
    about: "role templates that inherit each other",
    given: documents(
      object("RoleTemplate", "name: rt-one", `context: cluster\n${rule}`),
      object("RoleTemplate", "name: rt-two", "context: cluster\nroleTemplateNames: [rt-one]"),
    ),
    yaml: object("RoleTemplate", "name: rt-one", "context: cluster\nroleTemplateNames: [rt-two]"),
    says: /circular|inherit/i,
  },
  {
    about: "a role template that another inherits, deleted",
    delete: ["roletemplate.management.cattle.io", "rt-one"],
    says: /rt-two/,
  },
  {
    about: "an administrative project template",
    yaml: object(
      "RoleTemplate",
      "name: admin-rt",
      `context: project\nadministrative: true\n${rule}`,
    ),
    says: /administrative/,
  },
  {
    about: "a project default for clusters",
    yaml: object(
      "RoleTemplate",
      "name: default-rt",
      `context: cluster\nprojectCreatorDefault: true\n${rule}`,
    ),
    says: /projectCreatorDefault/,
  },
  {
    about: "a cluster binding in another cluster's namespace",
    yaml: object(
      "ClusterRoleTemplateBinding",
      "name: crtb-elsewhere, namespace: local",
      "clusterName: c-other\nuserName: u-ada\nroleTemplateName: cluster-member",
    ),
    says: /clusterName/,
  },
  {
    about: "a cluster binding of a user and a group",
    yaml: object(
      "ClusterRoleTemplateBinding",
      "name: crtb-two, namespace: local",
      "clusterName: local\nuserName: u-ada\ngroupPrincipalName: github_org://1\nroleTemplateName: cluster-member",
    ),
    says: /must target a user .* OR a group/,
  },
  {
    about: "a project's template bound to a cluster",
    yaml: object(
      "ClusterRoleTemplateBinding",
      "name: crtb-context, namespace: local",
      "clusterName: local\nuserName: u-ada\nroleTemplateName: project-member",
    ),
    says: /context|project-member/,
  },
  {
    about: "a project of another cluster",
    yaml: object(
      "Project",
      "name: p-elsewhere, namespace: local",
      "spec: { displayName: Elsewhere, clusterName: c-other }",
    ),
    says: /clusterName/,
  },
  {
    about: "a project quota without a default for namespaces",
    yaml: object(
      "Project",
      "name: p-quota, namespace: local",
      'spec: { displayName: Quota, clusterName: local, resourceQuota: { limit: { pods: "10" } } }',
    ),
    says: /namespaceDefaultResourceQuota/,
  },
  {
    about: "the local cluster, deleted",
    delete: ["cluster.management.cattle.io", "local"],
    says: /local/,
  },
  {
    about: "the local cluster's namespace, deleted",
    delete: ["namespace", "local"],
    says: /local/,
  },
  {
    about: "a second user of the same name",
    given: object("User", "name: u-ada", "username: ada"),
    yaml: object("User", "name: u-ada2", "username: ada"),
    says: /username.*ada/,
  },
  {
    about: "a user with another name",
    yaml: object("User", "name: u-ada", "username: lovelace"),
    says: /username/,
  },
  {
    about: "user attributes with a negative age",
    yaml: object("UserAttribute", "name: u-ada", "disableAfter: -1h"),
    says: /disableAfter/,
  },
  {
    about: "a registration token of another cluster",
    yaml: object(
      "ClusterRegistrationToken",
      "name: crt-elsewhere, namespace: local",
      "spec: { clusterName: c-other }",
    ),
    says: /clusterName/,
  },
  {
    about: "a password that is too short",
    yaml: `apiVersion: v1
kind: Secret
metadata: { name: u-ada, namespace: cattle-local-user-passwords }
stringData: { password: short }
`,
    says: /password.*12/,
  },
  {
    about: "a role beyond what its author holds",
    as: "u-roles",
    yaml: object(
      "RoleTemplate",
      "name: too-much",
      "context: cluster\nrules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]",
    ),
    says: /escalat|does not|hold/i,
  },
];
