/** What has to be written so that the built-in roles are as this version brings them. */

import { type GlobalRole, labels, type RoleTemplate } from "@drover/crds";
import { bootstrappedAnnotation } from "./names.ts";

/** A kind of role. */
export type Role = GlobalRole | RoleTemplate;

/** What is to be written; all empty when the roles are as they should be. */
export interface RoleChanges<T extends Role> {
  readonly create: readonly T[];
  /** Whole objects, with the resourceVersion they were decided on. */
  readonly update: readonly T[];
  readonly remove: readonly T[];
}

/** Fields that are the server's; everything else of a built-in role belongs to people and stays. */
const ownFields: Readonly<Record<string, readonly string[]>> = {
  GlobalRole: [
    "displayName",
    "rules",
    "namespacedRules",
    "inheritedClusterRoles",
    "inheritedNamespacedRules",
    "inheritedFleetWorkspacePermissions",
    "builtin",
  ],
  RoleTemplate: [
    "displayName",
    "context",
    "rules",
    "roleTemplateNames",
    "external",
    "externalRules",
    "builtin",
    "hidden",
    "administrative",
  ],
};

/** Set the first time a role is seen, and never again (rancher: pkg/data/management/role_data.go, bootstrapDefaultRoles). */
const defaultFlags: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  "GlobalRole/user": { newUserDefault: true },
  "RoleTemplate/cluster-owner": { clusterCreatorDefault: true },
  "RoleTemplate/project-owner": { projectCreatorDefault: true },
};

/**
 * Compares the built-in roles of one kind with all that exist. Missing ones are made; the server's fields of others are reset and their label is put back,
 * also on a role that took the name before; roles with the label that nobody knows any more go. Roles on their way out are left to go.
 */
export function desiredRoles<T extends Role>(
  builtin: readonly T[],
  existing: readonly T[],
): RoleChanges<T> {
  const found = new Map(existing.map((role) => [role.metadata.name, role]));
  const known = new Set(builtin.map(({ metadata }) => metadata.name));
  const value = builtin[0]?.metadata.labels?.[labels.bootstrapping];
  return {
    create: builtin.filter(({ metadata }) => !found.has(metadata.name)).map(withDefaults),
    update: builtin.flatMap((role) => repaired(role, found.get(role.metadata.name)) ?? []),
    remove: existing.filter(
      ({ metadata }) =>
        metadata.labels?.[labels.bootstrapping] === value &&
        !known.has(metadata.name) &&
        metadata.deletionTimestamp === undefined,
    ),
  };
}

/** The built-in roles that are on their way out: held by a finalizer, they can neither be used nor made. */
export function terminating<T extends Role>(
  builtin: readonly T[],
  existing: readonly T[],
): readonly T[] {
  const known = new Set(builtin.map(({ metadata }) => metadata.name));
  return existing.filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined && known.has(metadata.name),
  );
}

/** The stored role as it has to be; undefined when it is so, or on its way out. */
function repaired<T extends Role>(wanted: T, stored: T | undefined): T | undefined {
  if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) return undefined;
  const labels = wanted.metadata.labels ?? {};
  const labelled = Object.entries(labels).every(
    ([key, value]) => stored.metadata.labels?.[key] === value,
  );
  const flagged = defaultFlagsOf(stored) === undefined || isBootstrapped(stored);
  const names = ownFields[wanted.kind] ?? [];
  if (labelled && flagged && names.every((name) => equal(field(wanted, name), field(stored, name))))
    return undefined;

  const theirs = Object.entries(stored).filter(([name]) => !names.includes(name));
  const ours = Object.entries(wanted).filter(([name]) => names.includes(name));
  const metadata = { ...stored.metadata, labels: { ...stored.metadata.labels, ...labels } };
  // The entries are those of two objects of type T.
  return withDefaults({ ...Object.fromEntries([...theirs, ...ours]), metadata } as T);
}

/** The role with its default flag, if it has one and did not get it before. */
function withDefaults<T extends Role>(role: T): T {
  const flags = defaultFlagsOf(role);
  if (flags === undefined || isBootstrapped(role)) return role;
  const annotations = { ...role.metadata.annotations, [bootstrappedAnnotation]: "true" };
  return { ...role, ...flags, metadata: { ...role.metadata, annotations } };
}

function defaultFlagsOf({ kind, metadata }: Role): Readonly<Record<string, true>> | undefined {
  return defaultFlags[`${kind}/${metadata.name}`];
}

function isBootstrapped({ metadata }: Role): boolean {
  return metadata.annotations?.[bootstrappedAnnotation] !== undefined;
}

function field(role: Role, name: string): unknown {
  return Object.entries(role).find(([key]) => key === name)?.[1];
}

/** Whether two values mean the same: what is absent, null, false or empty all say nothing; the order of keys does not matter, that of lists does. */
function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(element);
  if (typeof value !== "object" || value === null) return value || undefined;
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    const text = plain(inner);
    return text === undefined ? [] : [[name, text] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields.sort(byName));
}

/** In a list every value counts: "" is the core group. */
function element(value: unknown): unknown {
  return typeof value === "object" ? plain(value) : value;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
