/** What the creator of a cluster or a project gets (rancher: pkg/controllers/management/auth/project_cluster). Pure. */

import type { KubeObject } from "kopf-ts";
import { annotations, safeConcatName } from "../names.ts";

/** Role templates that a creator is to be bound to, and those that it was bound to. */
export interface CreatorRoles {
  readonly required: readonly string[];
  readonly created: readonly string[];
}

/** What the annotation creator-role-bindings says; undefined without it, null for one that nobody can read. */
export function creatorRolesOf({
  metadata,
}: Pick<KubeObject, "metadata">): CreatorRoles | null | undefined {
  const text = metadata.annotations?.[annotations.creatorRoleBindings] ?? "";
  if (text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const { required, created } = value as Readonly<Record<string, unknown>>; // judged by namesIn
    return { required: namesIn(required), created: namesIn(created) };
  } catch {
    return null;
  }
}

/** The name of a creator's binding to a role template. */
export function creatorBindingName(roleTemplate: string): string {
  return safeConcatName("creator", roleTemplate);
}

/** Whom a creator's binding names: the principal, unless that is a local one; then, and where none is known, the user. Undefined where nobody is known. */
export function creatorSubject({
  metadata,
}: Pick<KubeObject, "metadata">):
  | { readonly userName: string }
  | { readonly userPrincipalName: string }
  | undefined {
  const userName = metadata.annotations?.[annotations.creatorId];
  if (!userName) return undefined;
  const principal = metadata.annotations?.[annotations.creatorPrincipalName] ?? "";
  const isForeign = principal !== "" && !principal.startsWith("local");
  return isForeign ? { userPrincipalName: principal } : { userName };
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((name): name is string => typeof name === "string")
    : [];
}
