import {
  backingNamespaceOf,
  isHomeOf,
  type Project,
  ProjectRoleTemplateBinding,
  parseProjectId,
  projectBindingOwnerKey,
  RoleTemplate,
  roleTemplateNames,
  roleTemplateSubject,
} from "@drover/crds";
import {
  type Claimant,
  claim,
  downstreamLegacyOf,
  dropClusterFinalizers,
  findInHub,
  grantedRules,
  type Obstacle,
  type Problem,
  roleOf,
  tell,
  throwForRetry,
  unclaim,
} from "@drover/platform";
import {
  type CacheAccess,
  type Context,
  done,
  type KubeObject,
  keyOf,
  parseKey,
  type Result,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import { clusterRoleBindings, type Grant, podSecurityRoles, roleBindings } from "./desired.ts";
import { namespacesOf, reasons } from "./names.ts";
import { isKnown, projectIn, projectOf } from "./sources.ts";

const kinds = [ClusterRole, RoleBinding, ClusterRoleBinding];

/** Makes the bindings of a ProjectRoleTemplateBinding in its cluster be what it says. What is in the way is told as Events of the binding. */
export async function reconcile(
  binding: ProjectRoleTemplateBinding,
  context: Context,
): Promise<Result> {
  const { cluster } = context;
  const isLeaving = binding.metadata.deletionTimestamp !== undefined;
  const grant = isLeaving ? undefined : await grantOf(binding, context);
  const wanted = {
    kinds,
    objects: grant === undefined ? [] : objectsOf(grant),
    keep: (live: KubeObject) => !isLeaving && staysIn(live, binding, context),
    legacy: downstreamLegacyOf(binding, [RoleBinding, ClusterRoleBinding], context.cache),
  };
  const problems = await claim(wanted, claimantOf(keyOf(binding), cluster), context);
  tellOf(problems, context);
  throwForRetry(problems);
  await dropClusterFinalizers(binding, context);
  return done;
}

/** The binding was deleted: so is what it granted. */
export async function forget(key: string, context: Context): Promise<Result> {
  throwForRetry(await unclaim(kinds, claimantOf(key, context.cluster), context));
  return done;
}

function claimantOf(key: string, cluster: string): Claimant {
  const label = projectBindingOwnerKey(parseKey(key).name);
  return { kind: ProjectRoleTemplateBinding, cluster, key, label };
}

function objectsOf(grant: Grant): readonly KubeObject[] {
  return [...podSecurityRoles(grant), ...roleBindings(grant), ...clusterRoleBindings(grant)];
}

/** Undefined where nothing can be granted, which is told. Whose user is about to be filled in, or who names nobody, is told of by the management cluster. */
async function grantOf(
  binding: ProjectRoleTemplateBinding,
  context: Context,
): Promise<Grant | undefined> {
  const { projectName, roleTemplateName } = binding;
  const id = parseProjectId(projectName);
  const subject = roleTemplateSubject(binding);
  if (id === undefined || typeof subject === "string") return undefined;
  const template = await findInHub(RoleTemplate, roleTemplateName, context);
  const project = await projectIn(id, context);
  if (template === undefined || project === undefined || !isHome(binding, project)) {
    tellObstacle(obstacleOf(binding, template, project), context);
    return undefined;
  }
  const caches = bothSides(context);
  return {
    subject,
    template: roleTemplateName,
    external: template.external === true,
    project: id.project,
    namespaces: openNamespaces(projectName, context),
    rules: grantedRules(template, caches).rules,
    hasPromoted: roleOf(template, roleTemplateNames.promotedAggregator, caches) !== undefined,
  };
}

/** Templates are the hub's, all else is the cluster's. */
function bothSides({ cache, hub }: Context): CacheAccess {
  return (kind, choice) =>
    kind.kind === RoleTemplate.kind ? hub.cache(kind, choice) : cache(kind, choice);
}

function openNamespaces(projectName: string, { cache }: Context): readonly string[] {
  return cache(Namespace)
    .byIndex(namespacesOf, projectName)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);
}

/**
 * Whether a RoleBinding stays though it is not wanted: in a namespace that goes by itself, and in one whose project nobody knows, which is no reason to touch what is
 * in it (rancher: pkg/controllers/managementuser/rbac/namespace_handler.go).
 */
function staysIn(
  { kind, metadata }: KubeObject,
  { projectName }: ProjectRoleTemplateBinding,
  { cache, cluster, hub }: Context,
): boolean {
  const namespace = kind === RoleBinding.kind && cache(Namespace).get(metadata.namespace ?? "");
  if (!namespace) return false;
  const text = projectOf(namespace);
  if (text === undefined) return false;
  if (namespace.metadata.deletionTimestamp !== undefined) return text === projectName;
  const id = parseProjectId(text);
  return id?.cluster === cluster && !isKnown(id, hub.cache);
}

function isHome({ metadata }: ProjectRoleTemplateBinding, project: Project): boolean {
  return isHomeOf(metadata.namespace, project);
}

/** Why it grants nothing: the template, the project or its namespace. */
function obstacleOf(
  { metadata, projectName, roleTemplateName }: ProjectRoleTemplateBinding,
  template: RoleTemplate | undefined,
  project: Project | undefined,
): Obstacle {
  const missing = (reason: string, what: string): Obstacle => ({
    reason,
    message: `${what} not found: make it, or delete the binding`,
  });
  if (template === undefined) {
    return missing(reasons.noTemplate, `roletemplates.management.cattle.io "${roleTemplateName}"`);
  }
  if (project === undefined) return missing(reasons.noProject, `project ${projectName}`);
  const home = backingNamespaceOf(project);
  const message = `nothing is granted: the binding is in namespace "${metadata.namespace}", its project has "${home}"`;
  return { reason: reasons.misplaced, message };
}

function tellObstacle({ reason, message }: Obstacle, { events, log }: Context): void {
  events.warning(reason, message);
  log.warn("a binding grants nothing", { reason, why: message });
}

function tellOf([first, ...rest]: readonly Problem[], { cluster, events }: Context): void {
  if (first === undefined) return;
  const { reason, message } = tell([first, ...rest]);
  events.warning(reason, `cluster ${cluster}: ${message}`);
}
