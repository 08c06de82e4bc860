/** Schemas as JSON, in Steve's order of fields (wrangler: pkg/schemas/types.go). Pure. */

import type { ResourceType } from "../types/resource-type.ts";
import type { BaseSchema } from "./base-schemas.ts";
import { disallowedMethods } from "./disallowed.ts";
import { isListed, type Methods } from "./methods.ts";

/** What is written of a schema. */
export interface SchemaParts {
  readonly id: string;
  readonly pluralName: string;
  readonly description: string;
  readonly methods: Methods;
  /** JSON. */
  readonly fields: string;
  /** JSON. */
  readonly attributes: string | undefined;
}

/** A schema as JSON; `base` is what URLs begin with. */
export function schemaJson(parts: SchemaParts, base: string): string {
  const { id, pluralName, description, methods, fields, attributes } = parts;
  const { resourceMethods, collectionMethods } = methods;
  const begin = {
    ...{ id, type: "schema", links: linksOf(parts, base) },
    ...(description !== "" && { description }),
    pluralName,
    ...(resourceMethods.length > 0 && { resourceMethods }),
  };
  const methodText =
    collectionMethods.length > 0 ? `,"collectionMethods":${JSON.stringify(collectionMethods)}` : "";
  const attributeText = attributes === undefined ? "" : `,"attributes":${attributes}`;
  const head = JSON.stringify(begin).slice(0, -1);
  return `${head},"resourceFields":${fields}${methodText}${attributeText}}`;
}

function linksOf({ id, pluralName, methods }: SchemaParts, base: string): object {
  const collection = isListed(methods) && { collection: `${base}/v1/${pluralName}` };
  return { ...collection, self: `${base}/v1/schemas/${id}` };
}

/** What schemaJson writes of what /v1 serves itself. */
export function partsOfBase(schema: BaseSchema): SchemaParts {
  const { id, pluralName, description = "", fields, attributes } = schema;
  return {
    ...{ id, pluralName, description, methods: schema, fields: JSON.stringify(fields) },
    attributes: attributes && JSON.stringify(attributes),
  };
}

/** The attributes of a type as JSON, names in order (steve: pkg/attributes). */
export function attributesJson(type: ResourceType): string {
  const { kind, columns, columnPaths, preferredGroup, preferredVersion } = type;
  const disallowed = disallowedMethods(kind.group, kind.plural);
  return JSON.stringify({
    ...(type.aggregated && { aggregated: true }),
    ...(columns.length > 0 && { columns: columns.map(withField) }),
    ...(type.crd && { crd: true }),
    ...(columnPaths !== undefined && { crdJSONPathParsers: columnPaths }),
    ...(disallowed.length > 0 && {
      disallowMethods: Object.fromEntries(disallowed.map((method) => [method, true])),
    }),
    group: kind.group,
    ...(type.observesGeneration && { hasObservedGeneration: true }),
    kind: kind.kind,
    namespaced: kind.scope === "Namespaced",
    ...(preferredGroup !== undefined && { preferredGroup }),
    ...(preferredVersion !== undefined && { preferredVersion }),
    resource: kind.plural,
    ...(type.table ? {} : { table: "false" }),
    verbs: type.verbs,
    version: kind.version,
  });
}

function withField(
  { name, type, format, description, priority }: ResourceType["columns"][number],
  index: number,
): object {
  return { name, type, format, description, priority, field: `$.metadata.fields[${index}]` };
}
