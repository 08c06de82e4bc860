/** What people apply for one team. */

/** Two people and a role of their own. */
export const team = `apiVersion: management.cattle.io/v3
kind: User
metadata: { name: u-jane }
username: jane
---
apiVersion: management.cattle.io/v3
kind: User
metadata: { name: u-joe }
username: joe
---
apiVersion: management.cattle.io/v3
kind: RoleTemplate
metadata: { name: team-reader }
displayName: Team reader
context: project
rules:
  - apiGroups: [""]
    resources: [configmaps]
    verbs: [list]
`;

/** A cluster that is reached by a kubeconfig. */
export function importedCluster(name: string, kubeconfig: string): string {
  return `apiVersion: v1
kind: Secret
metadata: { name: second-kubeconfig, namespace: cattle-global-data }
stringData:
  value: |
${kubeconfig.replaceAll(/^/gm, "    ")}
---
apiVersion: management.cattle.io/v3
kind: Cluster
metadata:
  name: ${name}
  annotations: { drover.dev/kubeconfig-secret: second-kubeconfig }
spec: { displayName: second }
`;
}

export function projectOf(cluster: string, name = "p-web"): string {
  return `apiVersion: management.cattle.io/v3
kind: Project
metadata: { name: ${name}, namespace: ${cluster} }
spec: { displayName: ${name}, clusterName: ${cluster} }
`;
}

export function namespaceIn(name: string, project: string): string {
  return `apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
  annotations: { field.cattle.io/projectId: "${project}" }
`;
}

/** u-<name> in project p-web of c-second. */
export function member(name: string, namespace: string, role: string): string {
  return `apiVersion: management.cattle.io/v3
kind: ProjectRoleTemplateBinding
metadata: { name: ${name}, namespace: ${namespace} }
userName: u-${name}
projectName: c-second:p-web
roleTemplateName: ${role}
`;
}
