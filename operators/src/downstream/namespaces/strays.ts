/** Takes away rights in a namespace that a project gave, which it is not in (any more). */

import {
  annotations,
  backingNamespaceOf,
  ClusterRoleTemplateBinding,
  localClusterName,
  Project,
  ProjectRoleTemplateBinding,
  parseProjectId,
} from "@drover/crds";
import { type Context, parseKey } from "kopf-ts";
import { Namespace, RoleBinding } from "kopf-ts/kinds";
import { clusterBindingKeyOf, straysAmong } from "./bindings.ts";
import { indexes } from "./names.ts";

/**
 * Deletes RoleBindings of bindings of other projects: a binding's own controller only looks at namespaces that are in its project. Before that,
 * namespace and bindings, of the project and of the cluster, are read live.
 */
export async function removeStrays(
  namespace: Namespace,
  projectId: string | undefined,
  context: Context,
): Promise<void> {
  const { cache, hub, client, log } = context;
  if (isOfHub(namespace, context)) return;
  const found = cache(RoleBinding).byIndex(indexes.owned, namespace.metadata.name);
  if (found.length === 0) return;
  const bindings = hub.cache(ProjectRoleTemplateBinding).byIndex(indexes.bindings, projectId ?? "");
  const clusterBindings = hub.cache(ClusterRoleTemplateBinding, { metadataOnly: true });
  const strays = straysAmong(found, bindings).filter(
    (each) =>
      each.metadata.deletionTimestamp === undefined &&
      !clusterBindings.has(clusterBindingKeyOf(each) ?? ""),
  );
  if (strays.length === 0) return;
  for (const stray of await confirmed(strays, namespace, projectId, context)) {
    if (await isOfCluster(stray, context)) continue;
    await client.delete(stray);
    log.info("deleted a RoleBinding of another project", { roleBinding: stray.metadata.name });
  }
}

/** Namespaces of the management cluster's own objects are full of bindings that grant something else. */
function isOfHub({ metadata }: Namespace, { cluster }: Context): boolean {
  const said = metadata.annotations ?? {};
  return (
    cluster === localClusterName &&
    said[annotations.systemNamespace] === "true" &&
    !said[annotations.projectId]
  );
}

/** Those that are strays by what the servers say now. */
async function confirmed(
  strays: readonly RoleBinding[],
  { metadata }: Namespace,
  projectId: string | undefined,
  context: Context,
): Promise<readonly RoleBinding[]> {
  const live = await context.client.find(Namespace, metadata.name);
  const said = live?.metadata.annotations?.[annotations.projectId] || undefined;
  const seen = metadata.annotations?.[annotations.projectId] || undefined;
  if (live === undefined || said !== seen) return []; // it moved again, which runs it again
  return straysAmong(strays, await bindingsOf(projectId, context));
}

/** A cache of the hub that is behind does not know the ClusterRoleTemplateBinding yet. */
async function isOfCluster(roleBinding: RoleBinding, { hub }: Context): Promise<boolean> {
  const key = clusterBindingKeyOf(roleBinding);
  if (key === undefined) return false;
  const { name, namespace } = parseKey(key);
  return (await hub.client.find(ClusterRoleTemplateBinding, name, { namespace })) !== undefined;
}

async function bindingsOf(
  projectId: string | undefined,
  { hub, cluster }: Context,
): Promise<readonly ProjectRoleTemplateBinding[]> {
  const id = parseProjectId(projectId ?? "");
  const project = id && (await hub.client.find(Project, id.project, { namespace: cluster }));
  if (project === undefined) return [];
  const namespace = backingNamespaceOf(project);
  return (await hub.client.list(ProjectRoleTemplateBinding, { namespace })).items;
}
