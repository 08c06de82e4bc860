/** What an OpenAPI v3 schema says of a field. */

import type { FieldPath } from "../query/field.ts";
import { at, listAt, textAt } from "../tree.ts";
import type { Ordered } from "./indexed.ts";

/** Schemas that refer to themselves end somewhere. */
const deepest = 64;

/**
 * How values at a path are ordered, undefined when the schema has no such field or says nothing of it. `resolve` finds what a `$ref` names. Paths go through lists as
 * those of valueAt do.
 */
export function orderInSchema(
  schema: unknown,
  path: FieldPath,
  resolve: (ref: string) => unknown = () => undefined,
): Ordered | undefined {
  let place = plain(schema, resolve);
  for (const key of path) {
    place = plain(step(place, key, resolve), resolve);
    if (place === undefined) return undefined;
  }
  return orderOf(place, resolve);
}

function step(schema: unknown, key: string, resolve: (ref: string) => unknown): unknown {
  const items = plain(at(schema, "items"), resolve);
  if (items !== undefined) return /^\d+$/.test(key) ? items : step(items, key, resolve);
  const property = at(schema, "properties", key);
  if (property !== undefined) return property;
  const others = at(schema, "additionalProperties");
  if (typeof others === "object") return others;
  return /^\d+$/.test(key) && isScalar(schema) ? schema : undefined;
}

/** A number behind what the members of a list have picks one of these. */
function isScalar(schema: unknown): boolean {
  return ["string", "integer", "number", "boolean"].includes(textAt(schema, "type"));
}

/** Without references and single alternatives around it. */
function plain(schema: unknown, resolve: (ref: string) => unknown): unknown {
  let found = schema;
  for (let depth = 0; depth < deepest; depth++) {
    const ref = textAt(found, "$ref");
    const [only, ...others] = listAt(found, "allOf");
    if (ref.endsWith(".resource.Quantity")) return { type: "quantity" };
    if (ref !== "") found = resolve(ref);
    else if (only !== undefined && others.length === 0 && at(found, "properties") === undefined)
      found = only;
    else return found;
  }
  return undefined;
}

function orderOf(schema: unknown, resolve: (ref: string) => unknown): Ordered {
  const type = textAt(schema, "type");
  if (type === "array") return orderOf(plain(at(schema, "items"), resolve), resolve);
  if (type === "integer" || type === "number") return "number";
  if (type === "quantity") return "quantity";
  if (textAt(schema, "format") === "date-time") return "date";
  return textAt(schema, "pattern").includes("KMGTP") ? "quantity" : "text";
}
