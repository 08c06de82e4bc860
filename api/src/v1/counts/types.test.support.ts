import { defineKind } from "kopf-ts";
import type { ResourceType } from "../types/resource-type.ts";

/** A type of the core group that can be listed and watched. */
export function aType(plural: string, kind: string, scope: "Namespaced" | "Cluster"): ResourceType {
  return {
    ...{ id: kind.toLowerCase(), pluralName: plural, columns: [], cells: undefined },
    kind: defineKind({ group: "", version: "v1", plural, kind, scope }),
    verbs: ["get", "list", "watch", "create"],
    ...{ preferredVersion: undefined, preferredGroup: undefined, observesGeneration: false },
    ...{ crd: false, aggregated: false, schema: undefined, description: "", table: true },
    columnPaths: undefined,
  };
}
