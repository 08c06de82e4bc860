/** What a RoleTemplate may say, as far as it can be told without looking anything up. */

import { type RoleTemplate, ruleFaults } from "@drover/crds";
import { changedContent } from "../immutable.ts";
import type { Problem } from "../verdicts.ts";

/** What may change on a builtin template. */
const free: ReadonlySet<string> = new Set([
  "clusterCreatorDefault",
  "projectCreatorDefault",
  "locked",
]);

const contexts: readonly string[] = ["cluster", "project", ""];

/** What is wrong with a template, apart from what it inherits. */
export function templateProblem(template: RoleTemplate): Problem {
  return contextProblem(template) ?? externalProblem(template) ?? rulesProblem(template);
}

/** What is wrong with marking a template as builtin, which only the server's own start does. */
export function newProblem({ builtin }: RoleTemplate): Problem {
  return builtin === true
    ? "builtin must not be true: only the server makes builtin role templates"
    : undefined;
}

/** Fields that an update changes. No externalRules are not the same as none: without them the ClusterRole of the template's name counts. */
export function changedFields(before: RoleTemplate, after: RoleTemplate): readonly string[] {
  const appeared = (before.externalRules == null) !== (after.externalRules == null);
  return [...new Set([...changedContent(before, after), ...(appeared ? ["externalRules"] : [])])];
}

/** What is wrong with a change. */
export function changeProblem(before: RoleTemplate, after: RoleTemplate): Problem {
  const changed = changedFields(before, after);
  if (changed.includes("builtin")) return "builtin is immutable: it cannot be changed";
  const fixed = changed.find((field) => !free.has(field));
  return before.builtin === true && fixed !== undefined
    ? `${fixed} of a builtin role template cannot be changed: only ${[...free].join(", ")} and metadata can`
    : undefined;
}

function contextProblem(template: RoleTemplate): Problem {
  const { context = "", administrative, projectCreatorDefault } = template;
  if (!contexts.includes(context)) return "context must be cluster, project or empty";
  if (administrative === true && context !== "cluster") {
    return "administrative must not be true: only role templates of context cluster can be administrative";
  }
  return projectCreatorDefault === true && context !== "project"
    ? "projectCreatorDefault must not be true: only role templates of context project can be given to creators of projects"
    : undefined;
}

function externalProblem({ external, externalRules }: RoleTemplate): Problem {
  return externalRules != null && external !== true
    ? "externalRules must not be set unless external is true"
    : undefined;
}

function rulesProblem({ rules, externalRules }: RoleTemplate): Problem {
  return [
    ...ruleFaults(rules ?? [], "rules"),
    ...ruleFaults(externalRules ?? [], "externalRules"),
  ][0];
}
