/** From a field that a client names to the columns of a cache that answer questions about it. */

import { type Clock, type ColumnSpec, parseNumber } from "kopf-ts";
import { LRUCache } from "lru-cache";
import { annotationOf, type FieldPath, fieldText, labelOf } from "../query/field.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { type Copied, copiedOf } from "./copied.ts";
import { type Derived, derivedOf } from "./derived.ts";
import { indexedOrder, type Ordered } from "./indexed.ts";
import { orderInMetadata } from "./metadata.ts";
import { quantityOf } from "./quantity.ts";
import { orderInSchema } from "./schema.ts";
import { type State, statesOf } from "./state.ts";
import { pathInObject, valueAt } from "./values.ts";

/** A column, and how it is made; undefined for one that every cache has. */
export interface Source {
  readonly column: string;
  readonly spec: ColumnSpec | undefined;
}

/** How a cache answers questions about a field. */
export interface Field {
  /** As it is written. */
  readonly name: string;
  /** The name of the label that it is. */
  readonly label: string | undefined;
  /** Where it is looked up; then the columns are those of what the object itself has there, and answer nothing. */
  readonly copied: Copied | undefined;
  /** What is compared, searched and counted; members of lists in the order of the list. Absent is as good as empty. */
  readonly texts: Source;
  /** What `<` and `>` compare: infinite where there is no number. */
  readonly numbers: Source;
  /** What rows are ordered by, ascending: numbers first, what is none by its text. */
  readonly order: readonly Source[];
  /** Orders by IP addresses. */
  readonly addresses: Source;
}

/** The schema of a type's objects (OpenAPI v3), and what names in it stand for. */
export interface Model {
  readonly schema: unknown;
  /** Undefined for a name that nobody knows. */
  resolve(ref: string): unknown;
}

/** The fields of all types. Pure but for states, which may depend on the time. */
export class Fields {
  readonly #clock: Clock;
  readonly #known = new WeakMap<ResourceType, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Undefined for what neither a table nor the type's own schema has: see `told` and `seen`. `invalid` is what nobody can ask for. The same question
   * has the same columns.
   */
  of(type: ResourceType, path: FieldPath): Field | "invalid" | undefined {
    const { fields, stateOf } = this.#knownOf(type);
    const name = fieldText(path);
    const field = fields.get(name) ?? ofEvery(type, name, path);
    if (field !== undefined) return isFixed(field) ? keep(fields, field) : field;
    const derived = derivedOf(type, path, stateOf);
    if (derived === "invalid") return derived;
    if (derived !== undefined) return keep(fields, made(name, derived, type));
    const ordered = orderOf(type, path) ?? orderInSchema(type.schema, pathInObject(path));
    const copied = copiedOf(type, path);
    return ordered && keep(fields, { ...made(name, plain(path, ordered)), copied });
  }

  /** A field that a model of the type has; undefined for one that it does not have. */
  told(type: ResourceType, path: FieldPath, { schema, resolve }: Model): Field | undefined {
    const ordered = orderInSchema(schema, pathInObject(path), resolve);
    return ordered && keep(this.#knownOf(type).fields, made(fieldText(path), plain(path, ordered)));
  }

  /** A field that some object has: ordered as the value that was seen. */
  seen(type: ResourceType, path: FieldPath, value: unknown): Field {
    const sample: unknown = Array.isArray(value) ? value[0] : value;
    const ordered = typeof sample === "number" ? "number" : "text";
    const { seen } = this.#knownOf(type);
    const name = fieldText(path);
    return seen.get(`${ordered} ${name}`) ?? keep(seen, made(name, plain(path, ordered)), ordered);
  }

  #knownOf(type: ResourceType): Known {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const fresh = { fields: memory(), seen: memory(), stateOf: statesOf(type, this.#clock) };
    this.#known.set(type, fresh);
    return fresh;
  }
}

/** Fields that were asked for lately: who can write objects can make fields. */
type Memory = LRUCache<string, Field>;

function memory(): Memory {
  return new LRUCache({ max: 500 });
}

/** What was asked of a type. */
interface Known {
  readonly fields: Memory;
  /** What only objects told of: whoever cannot see these must not learn of it. */
  readonly seen: Memory;
  readonly stateOf: (object: unknown) => State;
}

function keep(fields: Memory, field: Field, ordered?: Ordered): Field {
  fields.set(ordered === undefined ? field.name : `${ordered} ${field.name}`, field);
  return field;
}

/** Labels are named by callers as they like: they are not kept. */
function isFixed(field: Field | "invalid"): field is Field {
  return field !== "invalid" && field.label === undefined;
}

/** Fields for which every cache has a column. */
function ofEvery(
  { kind }: ResourceType,
  name: string,
  path: FieldPath,
): Field | "invalid" | undefined {
  const label = labelOf(path);
  if (label !== undefined) return ofLabel(name, label);
  if (name === "id" || name === "metadata.name") return ofCache(name);
  if (name === "metadata.creationTimestamp") return creation;
  if (name !== "metadata.namespace") return undefined;
  return kind.scope === "Namespaced" ? ofCache(name) : "invalid";
}

/** Without a schema. Annotations are texts by whatever name, and every object may have any. */
function orderOf(type: ResourceType, path: FieldPath): Ordered | undefined {
  if (annotationOf(path) !== undefined) return "text";
  return (
    indexedOrder(type, path) ?? indexedOrder(type, withoutIndex(path)) ?? orderInMetadata(path)
  );
}

/** A number may stand anywhere behind the first key. */
function withoutIndex(path: FieldPath): FieldPath {
  const at = path.findLastIndex((key, index) => index > 0 && /^\d+$/.test(key));
  return at < 0 ? path : path.toSpliced(at, 1);
}

function plain(path: FieldPath, ordered: Ordered): Derived {
  const keys = pathInObject(path);
  return { ordered, from: (object) => valueAt(object, keys), exact: true };
}

/** A label has no columns beside its own: its texts are compared as numbers by selectors, and ordered as they are. */
function ofLabel(name: string, label: string): Field {
  const texts = { column: `metadata.labels[${label}]`, spec: undefined };
  return {
    name,
    label,
    copied: undefined,
    texts,
    numbers: texts,
    order: [texts],
    addresses: texts,
  };
}

function ofCache(name: string): Field {
  const texts = { column: name, spec: undefined };
  const keys = name === "id" ? ["metadata", "name"] : name.split(".");
  const from = (object: unknown): unknown => valueAt(object, keys);
  return {
    ...{ name, label: undefined, copied: undefined, texts, order: [texts] },
    numbers: numbersOf(name, from, { ordered: "text", exact: false }),
    addresses: addressesOf(name, from),
  };
}

/** Kept as a time by every cache; its text is asked for rarely. */
const creation: Field = creationField("metadata.creationTimestamp");

function creationField(name: string): Field {
  const from = (object: unknown): unknown => valueAt(object, name.split("."));
  const texts = { column: `v1:${name}`, spec: { name: `v1:${name}`, path: name } };
  const times = { column: name, spec: undefined };
  return {
    name,
    label: undefined,
    copied: undefined,
    texts,
    numbers: times,
    order: [times],
    addresses: addressesOf(name, from),
  };
}

const parsers: Readonly<Record<Ordered, (value: unknown) => number | bigint>> = {
  text: numberOf,
  number: numberOf,
  quantity: quantityOf,
  date: (value) => (typeof value === "string" ? Date.parse(value) : numberOf(value)),
};

function numberOf(value: unknown): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return typeof value === "string" ? parseNumber(value) : Number.NaN;
}

/** What comes from the type's own table is named after the type: other types of the same objects may have other tables. */
function made(name: string, derived: Derived, type?: ResourceType): Field {
  const { ordered, from, rank, exact = false } = derived;
  const own = type === undefined ? name : `${name}@${type.id}/${type.kind.version}`;
  const value = (object: unknown): unknown => presentOf(from(object));
  const texts: Source = {
    column: `v1:${own}`,
    spec: { name: `v1:${own}`, type: columnType(name), from: value, exact },
  };
  const numbers = numbersOf(own, value, { ordered, exact });
  const ranks = rank === undefined ? numbers : sourceOf(`v1:${own}:rank`, "number", rank);
  const order = ordered === "text" ? [texts] : [ranks, texts];
  return {
    name,
    label: undefined,
    copied: undefined,
    texts,
    numbers,
    order,
    addresses: addressesOf(own, value),
  };
}

/** Mostly different from object to object. */
function columnType(name: string): "text" | "keyword" {
  return name === "metadata.fields[0]" || name === "message" || name === "metadata.uid"
    ? "text"
    : "keyword";
}

/** What is no number, and what is empty, is as good as absent. */
function presentOf(value: unknown): unknown {
  const isEmpty = Array.isArray(value) ? value.every((each) => each === "") : value === "";
  return isEmpty || Number.isNaN(value) ? undefined : value;
}

function numbersOf(
  name: string,
  from: (object: unknown) => unknown,
  { ordered, exact }: { readonly ordered: Ordered; readonly exact: boolean },
): Source {
  const parse = parsers[ordered];
  const number = (object: unknown): number | bigint => {
    const value = from(object);
    const parsed = parse(Array.isArray(value) && value.length === 1 ? value[0] : value);
    return Number.isNaN(parsed) ? Number.POSITIVE_INFINITY : parsed;
  };
  return sourceOf(`v1:${name}:${ordered}`, "number", number, exact);
}

function addressesOf(name: string, from: (object: unknown) => unknown): Source {
  return sourceOf(`v1:${name}:address`, "address", from);
}

function sourceOf(
  column: string,
  type: "number" | "address",
  from: (object: unknown) => unknown,
  exact = false,
): Source {
  return { column, spec: { name: column, type, from, exact } };
}
