/** Definitions of models and their fields, out of JSON schemas (steve: pkg/schema/definitions). Pure. */

import { at, listAt, mapAt, textAt } from "../../tree.ts";
import type { Pause } from "./pause.ts";

/** A field, as clients are shown it. */
export interface DefinedField {
  /** `string`, `int`, `boolean`, `array`, `map`, or the name of a definition. */
  readonly type: string;
  /** Of elements and values. */
  readonly subtype?: string;
  readonly description?: string;
  readonly required?: true;
}

/** A model. */
export interface Definition {
  readonly resourceFields: Readonly<Record<string, DefinedField>>;
  readonly type: string;
  readonly description: string;
}

/** Models by name. */
export type Definitions = ReadonlyMap<string, Definition>;

/** A model that is to be defined under a name. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: unknown;
}

/** Where references lead. */
export interface SchemaSource {
  /** A model by name. */
  model(name: string): unknown;
  /** Maps whose values nobody describes get a definition of their own, as CustomResourceDefinitions have it. */
  readonly definesMaps: boolean;
}

/** What is told of a field before it is known whether it is required. */
type Field = Omit<DefinedField, "required">;

/** How deep lists, maps and references may be within one field: documents come from servers that anybody may have written. */
const DEEPEST = 32;

/** On the way through a schema. */
interface Visit {
  readonly source: SchemaSource;
  readonly enqueue: (named: NamedSchema) => void;
  readonly depth: number;
}

/** The definition of a model and of all models that it refers to, however they refer to each other. */
export async function define(
  root: NamedSchema,
  source: SchemaSource,
  pause: Pause,
): Promise<Definitions> {
  const definitions = new Map<string, Definition>();
  const waiting: NamedSchema[] = [root];
  const enqueue = (named: NamedSchema): void => void waiting.push(named);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (definitions.has(next.name)) continue;
    definitions.set(next.name, definitionOf(next, { source, enqueue, depth: 0 }));
    await pause();
  }
  return definitions;
}

function definitionOf({ name, schema }: NamedSchema, visit: Visit): Definition {
  const required = new Set(listAt(schema, "required"));
  const fields = Object.entries(mapAt(schema, "properties") ?? {}).map(([key, property]) => {
    const field = fieldOf({ name: `${name}.${key}`, schema: property }, visit);
    return [key, required.has(key) ? { ...field, required: true as const } : field] as const;
  });
  return {
    resourceFields: Object.fromEntries(fields),
    type: name,
    description: textAt(schema, "description"),
  };
}

/** What a schema is of, as a field; `name` is what a model is called that has no name of its own. */
function fieldOf({ name, schema }: NamedSchema, visit: Visit): Field {
  if (visit.depth > DEEPEST) return { type: "string" };
  return {
    ...typesOf({ name, schema }, { ...visit, depth: visit.depth + 1 }),
    ...described(schema),
  };
}

function typesOf({ name, schema }: NamedSchema, visit: Visit): Field {
  const referred = referenceIn(schema);
  if (referred !== undefined) return referredTypes(referred, visit);
  switch (textAt(schema, "type")) {
    case "array":
      return { type: "array", subtype: fieldOf({ name, schema: at(schema, "items") }, visit).type };
    case "object":
      return objectTypes({ name, schema }, visit);
    case "integer":
    case "number":
      return { type: "int" };
    default:
      return { type: textAt(schema, "type") || "string" };
  }
}

function referredTypes(name: string, visit: Visit): Field {
  const schema = visit.source.model(name);
  if (schema === undefined) return { type: name };
  const { type, subtype } = fieldOf({ name, schema }, visit);
  return subtype === undefined ? { type } : { type, subtype };
}

/** A model where properties are known, else a map. */
function objectTypes(named: NamedSchema, visit: Visit): Field {
  const { name, schema } = named;
  if (Object.keys(mapAt(schema, "properties") ?? {}).length > 0) {
    visit.enqueue(named);
    return { type: name };
  }
  const values = mapAt(schema, "additionalProperties");
  if (values !== undefined) {
    return { type: "map", subtype: fieldOf({ name, schema: values }, visit).type };
  }
  if (!visit.source.definesMaps) return { type: "map", subtype: "string" };
  visit.enqueue(named);
  return { type: "map", subtype: name };
}

function described(schema: unknown): Pick<Field, "description"> {
  const description = textAt(schema, "description");
  return description === "" ? {} : { description };
}

const components = "#/components/schemas/";

/** The model that a schema stands for: itself a reference, or around one that cannot be described otherwise. */
function referenceIn(schema: unknown): string | undefined {
  const all = listAt(schema, "allOf");
  const reference = textAt(all.length === 1 ? all[0] : schema, "$ref");
  return reference.startsWith(components) ? reference.slice(components.length) : undefined;
}
