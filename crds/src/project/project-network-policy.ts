import type { Kind, KubeObject } from "kopf-ts";
import { managementKind, type Opaque } from "../management.ts";

/** Marks a project as isolated from the others; it lives in the project's backing namespace. */
export interface ProjectNetworkPolicy extends KubeObject {
  readonly spec?: {
    /** `<cluster>:<project>`. */
    readonly projectName?: string;
    readonly description?: string;
  };
  /** Always empty. */
  readonly status?: Opaque | null;
}

export const ProjectNetworkPolicy: Kind<ProjectNetworkPolicy> = managementKind(
  "ProjectNetworkPolicy",
  "projectnetworkpolicies",
  "Namespaced",
);
