/** What a Project may say (webhook: pkg/resources/management.cattle.io/v3/project). */

import { isDeepStrictEqual } from "node:util";
import type { Project } from "@drover/crds";
import { limitsProblem } from "../container-limits.ts";
import type { Problem } from "../verdicts.ts";

/** What is wrong with where a project is, apart from whether its cluster exists. */
export function placeProblem(after: Project, before: Project | undefined): Problem {
  const { metadata, spec } = after;
  if (before !== undefined) {
    return spec?.clusterName === before.spec?.clusterName
      ? undefined
      : "spec.clusterName must not be changed";
  }
  if (!spec?.clusterName) return "spec.clusterName is required";
  return spec.clusterName === metadata.namespace
    ? undefined
    : "spec.clusterName must be the same as the namespace";
}

/** The namespace is deleted with the project, so nobody may point it at another. */
export function backingNamespaceProblem(after: Project, before: Project | undefined): Problem {
  const had = before?.status?.backingNamespace ?? "";
  if (had === "" || had === after.status?.backingNamespace) return undefined;
  return "status.backingNamespace must not be changed";
}

/** What is wrong with limits of containers; those that stay as they were are not judged. */
export function containerProblem(after: Project, before: Project | undefined): Problem {
  const wanted = after.spec?.containerDefaultResourceLimit;
  if (wanted === undefined) return undefined;
  if (isDeepStrictEqual(wanted, before?.spec?.containerDefaultResourceLimit)) return undefined;
  return limitsProblem({ ...wanted }, (field) => `spec.containerDefaultResourceLimit.${field}`);
}

/** The project with the name of its own namespace. */
export function withBackingNamespace(project: Project, backingNamespace: string): Project {
  return { ...project, status: { ...project.status, backingNamespace } };
}
