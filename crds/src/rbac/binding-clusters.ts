/** Which cluster a binding concerns. One function each, so that all who watch bindings for a cluster share what is made of it. */

import type { KubeObject } from "kopf-ts";
import { parseProjectId } from "../project/project-id.ts";
import type { ProjectRoleTemplateBinding } from "./project-role-template-binding.ts";

/** That of its namespace. */
export function clustersOfClusterBinding({ metadata }: KubeObject): readonly string[] {
  return metadata.namespace === undefined ? [] : [metadata.namespace];
}

/** That of its project; none where projectName cannot be read. */
export function clustersOfProjectBinding({
  projectName,
}: ProjectRoleTemplateBinding): readonly string[] {
  const id = parseProjectId(projectName);
  return id === undefined ? [] : [id.cluster];
}
