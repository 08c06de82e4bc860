import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** Gives a user or a group (never both) a RoleTemplate in a project; it lives in the project's backing namespace. */
export interface ProjectRoleTemplateBinding extends KubeObject {
  readonly userName?: string;
  readonly userPrincipalName?: string;
  readonly groupName?: string;
  readonly groupPrincipalName?: string;
  /** `<cluster>:<project>`. */
  readonly projectName: string;
  readonly roleTemplateName: string;
  /** @deprecated `<namespace>:<name>`. */
  readonly serviceAccount?: string;
}

export const ProjectRoleTemplateBinding: Kind<ProjectRoleTemplateBinding> = managementKind(
  "ProjectRoleTemplateBinding",
  "projectroletemplatebindings",
  "Namespaced",
);
