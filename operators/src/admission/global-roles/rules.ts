/** What a GlobalRole may say, as far as it can be told without looking anything up. */

import { type GlobalRole, type PolicyRule, type RoleTemplate, ruleFaults } from "@drover/crds";
import { changedContent } from "../immutable.ts";
import type { Problem } from "../verdicts.ts";

/** What may change on a builtin role. */
const free = "newUserDefault";

/** What is wrong with marking a role as builtin, which only the server's own start does. */
export function newProblem({ builtin }: GlobalRole): Problem {
  return builtin === true
    ? "builtin must not be true: only the server makes builtin global roles"
    : undefined;
}

/** What is wrong with a change. */
export function changeProblem(before: GlobalRole, after: GlobalRole): Problem {
  const changed = changedContent(before, after);
  if (changed.includes("builtin")) return "builtin is immutable: it cannot be changed";
  const fixed = changed.find((field) => field !== free);
  return before.builtin === true && fixed !== undefined
    ? `${fixed} of a builtin global role cannot be changed: only ${free} and metadata can`
    : undefined;
}

/** What is wrong with the rules of all sorts. */
export function rulesProblem(role: GlobalRole): Problem {
  const { inheritedFleetWorkspacePermissions: fleet } = role;
  const faults = [
    ...ruleFaults(role.rules ?? [], "rules"),
    ...namespacedFaults(role.namespacedRules, "namespacedRules"),
    ...namespacedFaults(role.inheritedNamespacedRules, "inheritedNamespacedRules"),
    ...ruleFaults(fleet?.resourceRules ?? [], "inheritedFleetWorkspacePermissions.resourceRules", {
      namespaced: true,
    }),
  ];
  return faults[0] ?? verbsProblem(fleet?.workspaceVerbs);
}

function namespacedFaults(
  rules: Readonly<Record<string, readonly PolicyRule[]>> | undefined,
  field: string,
): readonly string[] {
  return Object.entries(rules ?? {}).flatMap(([namespace, each]) =>
    ruleFaults(each, `${field}[${namespace}]`, { namespaced: true }),
  );
}

function verbsProblem(verbs: readonly string[] | undefined): Problem {
  return verbs != null && verbs.length === 0
    ? "inheritedFleetWorkspacePermissions.workspaceVerbs is empty: leave it out, or name at least one verb"
    : undefined;
}

/** Templates that a role did not inherit before; those it did may have been locked since. */
export function newlyInherited(
  before: GlobalRole | undefined,
  after: GlobalRole,
): readonly string[] {
  const old = new Set(before?.inheritedClusterRoles);
  return (after.inheritedClusterRoles ?? []).filter((name) => !old.has(name));
}

/** What is wrong with inheriting a template anew. */
export function inheritedProblem({ metadata, context, locked }: RoleTemplate): Problem {
  const { name } = metadata;
  if (context !== "cluster") {
    return `inheritedClusterRoles must name role templates of context cluster: that of ${name} is "${context ?? ""}"`;
  }
  return locked === true
    ? `inheritedClusterRoles must name role templates that are not locked: ${name} is`
    : undefined;
}
