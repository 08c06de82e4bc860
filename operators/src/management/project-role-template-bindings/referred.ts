/** What a binding refers to, as the caches show it; and as the server does where something would be taken away because it is missing. */

import {
  backingNamespaceOf,
  Cluster,
  Project,
  type ProjectId,
  type ProjectRoleTemplateBinding,
  parseProjectId,
  RoleTemplate,
} from "@drover/crds";
import type { Obstacle } from "@drover/platform";
import { type Context, type Kind, type KubeObject, resourceName, TemporaryError } from "kopf-ts";
import { reasons } from "./names.ts";

/** The project and the template of a binding, or why it grants nothing. */
export type Referred =
  | {
      readonly id: ProjectId;
      readonly project: Project;
      readonly template: RoleTemplate;
      readonly obstacle?: undefined;
    }
  | { readonly obstacle: Obstacle };

type Lookup = Pick<Context, "client" | "cache">;

/** Looks up what the binding refers to. Throws a TemporaryError where the cache lacks what the server has. */
export async function referredBy(
  { metadata, projectName, roleTemplateName }: ProjectRoleTemplateBinding,
  context: Lookup,
): Promise<Referred> {
  const id = parseProjectId(projectName);
  if (id === undefined) {
    return obstacle(reasons.noProject, `projectName must be <cluster>:<project>: "${projectName}"`);
  }
  const cluster = await present(Cluster, { name: id.cluster }, context);
  if (cluster === undefined) return missing(Cluster, id.cluster, reasons.noCluster);
  const project = await present(Project, { name: id.project, namespace: id.cluster }, context);
  if (project === undefined) return missing(Project, projectName, reasons.noProject);
  if (!isHome(metadata.namespace, project)) {
    const message = `the binding is in namespace "${metadata.namespace}", its project has "${backingNamespaceOf(project)}"`;
    return obstacle(reasons.misplaced, message);
  }
  const template = await present(RoleTemplate, { name: roleTemplateName }, context);
  if (template === undefined) return missing(RoleTemplate, roleTemplateName, reasons.noTemplate);
  return { id, project, template };
}

/** Bindings that are older than backing namespaces are in the namespace of the project's name. */
function isHome(namespace: string | undefined, project: Project): boolean {
  return namespace === backingNamespaceOf(project) || namespace === project.metadata.name;
}

interface Name {
  readonly name: string;
  readonly namespace?: string;
}

async function present<T extends KubeObject>(
  kind: Kind<T>,
  { name, namespace }: Name,
  { client, cache }: Lookup,
): Promise<T | undefined> {
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const cached = cache(kind).get(key);
  if (cached !== undefined) return cached;
  const options = namespace === undefined ? {} : { namespace };
  if (name === "" || (await client.find(kind, name, options)) === undefined) return undefined;
  throw new TemporaryError(`the cache does not show ${kind.kind} ${key} yet`, { delay: 1000 });
}

function missing(kind: Kind, name: string, reason: string): Referred {
  return obstacle(reason, `${resourceName(kind)} "${name}" not found`);
}

function obstacle(reason: string, text: string): Referred {
  return { obstacle: { reason, message: `nothing is granted: ${text}` } };
}
