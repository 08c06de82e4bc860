/** What somebody may do in a cluster, as its RBAC objects say (steve: pkg/accesscontrol). */

import type { Caller } from "@drover/platform";
import type { Kind } from "kopf-ts";

/** A resource, whatever its version. */
export type GroupResource = Pick<Kind, "group" | "plural">;

/**
 * Which objects of a resource: all, or those of whole namespaces and single ones by name. Names of objects outside namespaces, and of those
 * that a ClusterRole names in every namespace, stand under the empty namespace.
 */
export type Reach =
  | "all"
  | {
      readonly namespaces: ReadonlySet<string>;
      readonly names: ReadonlyMap<string, ReadonlySet<string>>;
    };

/** What one caller may do. Immutable: a change of roles or bindings that concern the caller makes a new one. */
export interface Access {
  /** Equal for two callers, or at two times, only where the rights are equal. */
  readonly fingerprint: string;
  /** Whether a verb is allowed; without a name on any object, without a namespace in all of them. */
  may(verb: string, resource: GroupResource, namespace?: string, name?: string): boolean;
  /** The objects on which one of the verbs is allowed. The same object for the same question. */
  reach(verbs: readonly string[], resource: GroupResource): Reach;
  /**
   * The objects that lists, watches and searches show: those of `list`, and those that `get` names one by one. Somebody who may do nothing with namespaces sees those
   * in which they may read something, and of these no more than `strangers.ts` says. The same object for the same question.
   */
  listed(resource: GroupResource): Reach;
  /** Whether a verb is allowed on a path that is no resource. */
  mayVisit(verb: string, path: string): boolean;
}

/** The rights of all callers in one cluster. */
export interface AccessSets {
  /** Looked up, not computed, while nothing changed that concerns the caller. */
  of(caller: Caller): Access;
  /** Calls the listener after each change of the caller's rights, until disposed. */
  onChange(caller: Caller, listener: () => void): Disposable;
  /** Resolves when all roles and bindings are known for the first time. */
  ready(signal: AbortSignal): Promise<void>;
}

/** Reaches nothing. */
export const nothing: Reach = { namespaces: new Set(), names: new Map() };

/** Whether nothing of a scope can be within reach; without a scope, nothing at all. */
export function isNothing(reach: Reach, scope?: Kind["scope"]): boolean {
  if (reach === "all") return false;
  if (scope === "Cluster") return !reach.names.has("");
  return reach.namespaces.size === 0 && reach.names.size === 0;
}

/** Whether an object is within reach. */
export function reaches(reach: Reach, namespace: string, name: string): boolean {
  if (reach === "all" || reach.namespaces.has(namespace)) return true;
  const named = (within: string): boolean => reach.names.get(within)?.has(name) ?? false;
  return named(namespace) || named("");
}
