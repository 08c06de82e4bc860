/** What a role template allows with everything it inherits. */

import type { PolicyRule } from "kopf-ts/kinds";
import type { RoleTemplate } from "../rbac/role-template.ts";
import {
  CircularInheritanceError,
  MissingClusterRoleError,
  MissingRoleTemplateError,
} from "./errors.ts";

/** Where flatten finds what a role template refers to; usually caches. */
export interface RuleSources {
  roleTemplate(name: string): RoleTemplate | undefined;
  /** Rules of the ClusterRole of this name. */
  clusterRole(name: string): readonly PolicyRule[] | undefined;
}

/**
 * All rules of a role template: its own, then those of the templates it inherits, depth first, each template once however many
 * ways lead to it (webhook: pkg/auth/roletemplate.go). An external template brings its externalRules, or else those of the ClusterRole
 * of its name, and its `rules` besides. Takes chains of any length.
 *
 * Throws CircularInheritanceError (upstream leaves out what would close the circle), MissingRoleTemplateError,
 * MissingClusterRoleError.
 */
export function flatten(template: RoleTemplate, sources: RuleSources): readonly PolicyRule[] {
  return inherited(template, sources).flatMap((each) => ownRules(each, sources));
}

function ownRules(template: RoleTemplate, sources: RuleSources): readonly PolicyRule[] {
  const { external = false, externalRules, rules = [] } = template;
  if (!external) return rules;

  const { name } = template.metadata;
  const backing = externalRules ?? sources.clusterRole(name);
  if (backing === undefined) throw new MissingClusterRoleError(name);
  return [...backing, ...rules];
}

/** A template on the way down, with what is left of its roleTemplateNames. */
interface Step {
  readonly name: string;
  readonly left: Iterator<string, undefined>;
}

/** The template and all it inherits. Walks with a stack of its own: a chain may be longer than the call stack is deep. */
function inherited(template: RoleTemplate, sources: RuleSources): readonly RoleTemplate[] {
  const found: RoleTemplate[] = [];
  const seen = new Set<string>();
  const path: Step[] = [];
  const open = new Set<string>();

  const enter = (next: RoleTemplate): void => {
    const { name } = next.metadata;
    found.push(next);
    seen.add(name);
    open.add(name);
    path.push({ name, left: (next.roleTemplateNames ?? [])[Symbol.iterator]() });
  };

  enter(template);
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const name = step.left.next().value;
    if (name === undefined) {
      open.delete(step.name);
      path.pop();
    } else if (open.has(name)) {
      throw new CircularInheritanceError(circle(path, name));
    } else if (!seen.has(name)) {
      const next = sources.roleTemplate(name);
      if (next === undefined) throw new MissingRoleTemplateError(name, step.name);
      enter(next);
    }
  }
  return found;
}

function circle(path: readonly Step[], closing: string): readonly string[] {
  const names = path.map(({ name }) => name);
  return [...names.slice(names.indexOf(closing)), closing];
}
