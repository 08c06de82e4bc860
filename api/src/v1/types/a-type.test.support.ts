/** Types for tests that need no cluster. */

import { defineKind, type Kind } from "kopf-ts";
import { pluralName, typeId } from "./names.ts";
import type { ResourceType } from "./resource-type.ts";

/** What tests say of a type. */
export type TypeWish = Partial<Pick<Kind, "group" | "version" | "plural" | "scope">> &
  Pick<Kind, "kind"> &
  Partial<Omit<ResourceType, "id" | "kind">>;

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A namespaced type of the core group, in version v1 and with all verbs, unless told. */
export function aType(wish: TypeWish): ResourceType {
  const { group = "", version = "v1", kind, scope = "Namespaced", ...rest } = wish;
  const { plural = `${kind.toLowerCase()}s`, ...more } = rest;
  return {
    ...{ id: typeId(group, kind), pluralName: pluralName({ group, plural }), verbs },
    kind: defineKind({ group, version, plural, kind, scope }),
    ...{ preferredVersion: undefined, preferredGroup: undefined, columns: [], table: true },
    ...{ columnPaths: undefined, description: "", cells: undefined, crd: false },
    ...{ aggregated: false, observesGeneration: false, schema: undefined, ...more },
  };
}
