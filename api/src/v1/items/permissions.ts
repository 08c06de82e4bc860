/** What the caller may do with other types in the namespace that an object stands for (steve: pkg/resources/common/formatter.go). */

import type { ResourceType, Types } from "../types/resource-type.ts";
import type { ItemContext } from "./item.ts";
import { viewsOf } from "./links.ts";

const verbs = ["create", "update", "delete", "list", "get", "watch", "patch"];

/** `{type: {verb: url}}` under the names by which the types were asked for; types without any right are left out. */
export function permissions(
  { access, base, shape }: Pick<ItemContext, "access" | "base" | "shape">,
  types: Pick<Types, "find">,
  namespace: string,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const found = shape.checkPermissions.flatMap((name) => {
    const type = types.find(name);
    const granted =
      type === undefined ? [] : verbs.filter((verb) => access.may(verb, type.kind, namespace));
    return type === undefined || granted.length === 0 ? [] : [[name, urls(type, granted)] as const];
  });
  return Object.fromEntries(found);

  function urls(
    { kind }: ResourceType,
    granted: readonly string[],
  ): Readonly<Record<string, string>> {
    const url = viewsOf(kind, base)(namespace).slice(0, -1);
    return Object.fromEntries(granted.map((verb) => [verb, url]));
  }
}
