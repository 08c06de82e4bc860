/** How role templates inherit each other, which may be in circles. Pure, and for chains of any length. */

import type { RoleTemplate } from "../rbac/role-template.ts";

/** Finds a role template by its name; usually a cache. */
export type FindTemplate = (name: string) => RoleTemplate | undefined;

/** What a template inherits directly, each once. */
export interface Inheritance {
  /** Those whose rules can be taken over; also the missing ones, whose rules count once they are there. */
  readonly followed: readonly string[];
  readonly missing: readonly string[];
  /** Those that inherit this very template in turn: of rules that flow in a circle none could ever be taken back. */
  readonly circular: readonly string[];
}

/** Sorts what a template inherits. */
export function inheritanceOf(template: RoleTemplate, find: FindTemplate): Inheritance {
  const { name } = template.metadata;
  const inherited = [...new Set(template.roleTemplateNames)];
  const circular = inherited.filter((each) => reaches(each, find, (found) => found === name));
  return {
    followed: inherited.filter((each) => !circular.includes(each)),
    missing: inherited.filter((each) => find(each) === undefined),
    circular,
  };
}

/** Whether `accept` holds for the template of a name, or for one that it inherits, directly or not. Ways end at templates that `through` refuses. */
export function reaches(
  start: string,
  find: FindTemplate,
  accept: (name: string, template: RoleTemplate | undefined) => boolean,
  through: (template: RoleTemplate) => boolean = () => true,
): boolean {
  const seen = new Set<string>([start]);
  const left = [start];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const template = find(name);
    if (template !== undefined && !through(template)) continue;
    if (accept(name, template)) return true;
    const next = (template?.roleTemplateNames ?? []).filter((each) => !seen.has(each));
    for (const each of next) seen.add(each);
    left.push(...next);
  }
  return false;
}

/** Names of the templates that inherit one, directly or not; `inheritors` knows those that do directly. */
export function inheritorsOf(
  name: string,
  inheritors: (name: string) => readonly string[],
): readonly string[] {
  const found = new Set<string>();
  const left = [name];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const more = inheritors(next).filter((each) => !found.has(each));
    for (const each of more) found.add(each);
    left.push(...more);
  }
  return [...found];
}
