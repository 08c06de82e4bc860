/** What a caller may do with a type, as HTTP methods (steve: pkg/schema/factory.go). Pure. */

import { type Access, isNothing } from "../access/access.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { disallowedMethods } from "./disallowed.ts";

/** Methods by what they are asked of. One that the caller has the right to and /v1 does not offer stands there as `blocked-PUT`. */
export interface Methods {
  /** Of one object. */
  readonly resourceMethods: readonly string[];
  /** Of a type, or of what it has in a namespace. */
  readonly collectionMethods: readonly string[];
}

/** What methodsOf looks at. */
export type TypeRights = Pick<ResourceType, "id" | "kind" | "verbs">;

/** Types that everybody may list, with whatever of them they can see, which may be nothing (rancher: pkg/api/steve). */
const listedByAll: ReadonlySet<string> = new Set([
  "namespace",
  "management.cattle.io.cluster",
  "management.cattle.io.project",
]);

/** The methods that a caller has for a type; a type without any is hidden from them. */
export function methodsOf(type: TypeRights, access: Access): Methods {
  const blocked = blockedOf(type);
  const mayAny = (...verbs: readonly string[]): boolean =>
    verbs.some((verb) => may(verb, type, access));
  const offered = (method: string, isGranted: boolean): readonly string[] => {
    if (!isGranted) return [];
    return [blocked.includes(method) ? `blocked-${method}` : method];
  };

  // somebody without any right to namespaces sees those that they may read in
  const lists = type.verbs.includes("list");
  const reads =
    mayAny("get", "list") || (lists && !isNothing(access.listed(type.kind), type.kind.scope));
  const updates = mayAny("update");
  return {
    resourceMethods: [
      ...offered("GET", reads),
      ...offered("PUT", updates),
      ...offered("PATCH", updates || mayAny("patch")),
      ...offered("DELETE", mayAny("delete")),
    ],
    collectionMethods: [
      ...offered("GET", reads || (lists && listedByAll.has(type.id))),
      ...offered("POST", mayAny("create")),
    ],
  };
}

function blockedOf({ kind: { group, plural } }: TypeRights): readonly string[] {
  return disallowedMethods(group, plural);
}

/** Whether a caller may do it to any object: rights in namespaces mean nothing for those outside of them. */
function may(verb: string, { kind, verbs }: TypeRights, access: Access): boolean {
  return verbs.includes(verb) && !isNothing(access.reach([verb], kind), kind.scope);
}

/** Whether a caller sees nothing of a type, not even that it exists. */
export function isHidden({ resourceMethods, collectionMethods }: Methods): boolean {
  return resourceMethods.length === 0 && collectionMethods.length === 0;
}

/** Whether a GET of the collection is answered: who may create gets a list as well, perhaps of nothing (apiserver: pkg/server/access.go). */
export function isListed({ collectionMethods }: Methods): boolean {
  return collectionMethods.includes("GET") || collectionMethods.includes("POST");
}

/** The types that a caller may create in a collection, with where to: `createTypes` of its envelope. Empty when they may create none; no other right is asked for. */
export function createTypes(
  type: TypeRights & Pick<ResourceType, "pluralName">,
  access: Access,
  base: string,
): Readonly<Record<string, string>> {
  const isOffered = may("create", type, access) && !blockedOf(type).includes("POST");
  return isOffered ? { [type.id]: `${base}/v1/${type.pluralName}` } : {};
}
