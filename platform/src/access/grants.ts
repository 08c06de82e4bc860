/** What roles hand out, compared with what somebody holds. */

import {
  flatten,
  type GlobalRole,
  MissingRoleTemplateError,
  type PolicyRule,
  type RuleSources,
  ruleText,
  type Uncovered,
} from "@drover/crds";
import { type Rights, workspaceRules, workspaceVerbRules } from "./rights.ts";
import { uncovered } from "./uncovered.ts";

/** Rules that a role hands out in one place. */
export interface Grant {
  /** Where, for people: `in every managed cluster`. */
  readonly where: string;
  readonly rules: readonly PolicyRule[];
  /** What has to cover them. */
  readonly held: (rights: Rights) => readonly PolicyRule[];
}

/** What somebody lacks for a grant. */
export interface Lacking {
  readonly where: string;
  readonly missing: Uncovered;
}

/**
 * All that a global role hands out, place by place (webhook: pkg/resources/management.cattle.io/v3/globalrole/validator.go). Throws as `flatten`, and MissingRoleTemplateError
 * for an inheritedClusterRoles entry that does not exist.
 */
export function grantsOf(role: GlobalRole, sources: RuleSources): readonly Grant[] {
  const inherited = (role.inheritedClusterRoles ?? []).flatMap((name) =>
    inheritedRules(role, name, sources),
  );
  const grants: readonly Grant[] = [
    {
      where: "in the whole local cluster",
      rules: role.rules ?? [],
      held: (rights) => rights.everywhere(),
    },
    {
      where: "in every managed cluster",
      rules: inherited,
      held: (rights) => rights.inManagedClusters(),
    },
    {
      where: "in every fleet workspace",
      rules: workspaceRules(role),
      held: (rights) => rights.inWorkspaces(),
    },
    {
      where: "on every fleet workspace",
      rules: workspaceVerbRules(role),
      held: (rights) => rights.onWorkspaces(),
    },
    ...namespacedGrants(role),
  ];
  return grants.filter(({ rules }) => rules.length > 0);
}

function namespacedGrants(role: GlobalRole): readonly Grant[] {
  return [
    ...Object.entries(role.namespacedRules ?? {}).map(([namespace, rules]) => ({
      where: `in namespace ${namespace}`,
      rules,
      held: (rights: Rights) => rights.inNamespace(namespace),
    })),
    ...Object.entries(role.inheritedNamespacedRules ?? {}).map(([namespace, rules]) => ({
      where: `in namespace ${namespace} of every managed cluster`,
      rules,
      held: (rights: Rights) => rights.inManagedNamespace(namespace),
    })),
  ];
}

function inheritedRules(
  role: GlobalRole,
  name: string,
  sources: RuleSources,
): readonly PolicyRule[] {
  const template = sources.roleTemplate(name);
  if (template === undefined) throw new MissingRoleTemplateError(name, role.metadata.name);
  return flatten(template, sources);
}

/** Places after which nobody needs to know more. */
const mostPlaces = 20;

/**
 * The grants that somebody does not hold in full, the first 20 of them. Lets others have the process between two places: a global role may have rules for thousands of
 * namespaces. Rejects with the signal's reason, and with RulesTooLargeError.
 */
export async function lackingFor(
  rights: Rights,
  grants: readonly Grant[],
  signal: AbortSignal,
): Promise<readonly Lacking[]> {
  const lacking: Lacking[] = [];
  for (const { where, rules, held } of grants) {
    const missing = await uncovered(held(rights), rules, signal);
    if (missing.length > 0 && lacking.push({ where, missing }) === mostPlaces) break;
    await new Promise(setImmediate);
    signal.throwIfAborted();
  }
  return lacking;
}

const mostRules = 3;

/** What is missing, cut after three rules: `{Resources:["pods"], ...} and 4 more`. */
export function missingText(missing: Uncovered): string {
  const shown = missing.slice(0, mostRules).map(ruleText);
  const more = missing.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
