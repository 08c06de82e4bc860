/** What a binding refers to, as the caches show it; and as the server does where something would be taken away because it is missing. */

import {
  backingNamespaceOf,
  Cluster,
  isHomeOf,
  Project,
  type ProjectId,
  type ProjectRoleTemplateBinding,
  parseProjectId,
  RoleTemplate,
} from "@drover/crds";
import { confirmed, type Lookup, type Obstacle } from "@drover/platform";
import { type Kind, resourceName } from "kopf-ts";
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

/** Looks up what the binding refers to. Throws a TemporaryError where the cache lacks what the server has. */
export async function referredBy(
  { metadata, projectName, roleTemplateName }: ProjectRoleTemplateBinding,
  context: Lookup,
): Promise<Referred> {
  const id = parseProjectId(projectName);
  if (id === undefined) {
    return obstacle(reasons.noProject, `projectName must be <cluster>:<project>: "${projectName}"`);
  }
  const cluster = await confirmed(Cluster, { name: id.cluster }, context);
  if (cluster === undefined) return missing(Cluster, id.cluster, reasons.noCluster);
  const project = await confirmed(Project, { name: id.project, namespace: id.cluster }, context);
  if (project === undefined) return missing(Project, projectName, reasons.noProject);
  if (!isHomeOf(metadata.namespace, project)) {
    const message = `the binding is in namespace "${metadata.namespace}", its project has "${backingNamespaceOf(project)}"`;
    return obstacle(reasons.misplaced, message);
  }
  const template = await confirmed(RoleTemplate, { name: roleTemplateName }, context);
  if (template === undefined) return missing(RoleTemplate, roleTemplateName, reasons.noTemplate);
  return { id, project, template };
}

function missing(kind: Kind, name: string, reason: string): Referred {
  return obstacle(reason, `${resourceName(kind)} "${name}" not found`);
}

function obstacle(reason: string, text: string): Referred {
  return { obstacle: { reason, message: `nothing is granted: ${text}` } };
}
