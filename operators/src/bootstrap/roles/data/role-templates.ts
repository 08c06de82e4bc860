import type { RoleTemplate } from "@drover/crds";
import { clusterTemplates } from "./cluster-templates.ts";
import { projectDuties } from "./project-duties.ts";
import { projectMembers } from "./project-members.ts";

/** Every built-in RoleTemplate. */
export const roleTemplates: readonly RoleTemplate[] = [
  ...clusterTemplates,
  ...projectMembers,
  ...projectDuties,
];
