/** The schemas of what /v1 serves itself, beside the types of the cluster (steve: pkg/resources/schema.go; apiserver: pkg/builtin). */

import type { Methods } from "./methods.ts";

/** A field of such a schema, as wrangler writes it: pkg/schemas/types.go. */
export interface BaseField {
  readonly type: string;
  readonly nullable?: boolean;
  readonly create: boolean;
  readonly update: boolean;
}

/** A schema that is the same for everybody. */
export interface BaseSchema extends Methods {
  readonly id: string;
  readonly pluralName: string;
  readonly fields: Readonly<Record<string, BaseField>> | null;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

const reads = { resourceMethods: ["GET"], collectionMethods: ["GET"] } as const;
const nothing = { resourceMethods: [], collectionMethods: [] } as const;

function field(type: string): BaseField {
  return { type, create: false, update: false };
}

/** Of what comes from a Go type. */
function writable(type: string): BaseField {
  return { type, create: true, update: true };
}

const text = field("string");
const note: BaseField = { type: "string", nullable: true, create: false, update: false };
const map = field("map[json]");
const texts = field("array[string]");
const given = writable("string");

/** All of them. Those without methods describe parts of answers. */
export const baseSchemas: readonly BaseSchema[] = [
  {
    ...{ id: "apiRoot", pluralName: "apiRoots", ...reads },
    fields: { apiVersion: map, path: text },
  },
  {
    ...{ id: "apigroup", pluralName: "apigroups", ...reads, fields: null },
    attributes: { group: "", kind: "APIGroup", version: "v1" },
    description:
      "APIGroup contains the name, the supported versions, and the preferred version of a group.",
  },
  {
    ...{ id: "collection", pluralName: "collections", ...nothing },
    fields: { data: field("array[json]"), filters: map, pagination: map, sort: map },
  },
  {
    ...{ id: "count", pluralName: "counts", ...reads },
    fields: { counts: writable("map[itemCount]"), id: given },
  },
  {
    ...{ id: "error", pluralName: "errors", ...nothing },
    fields: { code: text, detail: note, fieldName: note, message: note, status: field("int") },
  },
  {
    ...{ id: "schema", pluralName: "schemas", ...reads },
    fields: {
      ...{ attributes: map, collectionActions: map, collectionFields: map },
      ...{ collectionFilters: map, collectionMethods: texts, pluralName: text },
      ...{ resourceActions: map, resourceFields: map, resourceMethods: texts, version: map },
    },
  },
  {
    ...{ id: "schemaDefinition", pluralName: "schemaDefinitions", fields: null },
    ...{ resourceMethods: ["GET"], collectionMethods: [] },
  },
  {
    ...{ id: "subscribe", pluralName: "subscribe" },
    ...{ resourceMethods: [], collectionMethods: ["GET"] },
    fields: {
      ...{ debounceMs: writable("int"), id: given, mode: given, namespace: given },
      ...{ resourceType: given, resourceVersion: given, selector: given },
      stop: writable("boolean"),
    },
  },
  {
    ...{ id: "userpreference", pluralName: "userpreferences" },
    ...{ resourceMethods: ["GET", "PUT", "DELETE"], collectionMethods: ["GET"] },
    fields: { data: writable("map[string]") },
  },
];

/** One of them, by id or plural name in any case. */
export function baseSchemaNamed(name: string): BaseSchema | undefined {
  const lower = name.toLowerCase();
  return baseSchemas.find(
    ({ id, pluralName }) => id.toLowerCase() === lower || pluralName.toLowerCase() === lower,
  );
}
