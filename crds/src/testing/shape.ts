/**
 * Shapes tie a TypeScript type to its CRD's schema. `Shape<T>` is a type with exactly one value, spelled out beside each
 * kind in a test; the compiler checks the value against T, the test against the schema. So the three agree in every
 * field, its type, and whether it may be absent or null.
 */

import type { KubeObject } from "kopf-ts";
import type { Schema } from "../install/manifest.ts";

/**
 * The one shape of T. Keys end in `?` if the field may be absent and in `|null` if it may be null; `*` stands for the
 * values of a map, a one-item list for a list. Strings of any kind are "string": enums are not told apart.
 */
export type Shape<T> = unknown extends T
  ? "any"
  : [T] extends [boolean]
    ? "boolean"
    : [T] extends [number]
      ? "integer"
      : [T] extends [string]
        ? "string"
        : [T] extends [number | string]
          ? "intOrString"
          : T extends readonly (infer Item)[]
            ? readonly [Shape<Item>]
            : string extends keyof T
              ? unknown extends T[keyof T]
                ? "opaque"
                : { readonly "*": Shape<T[keyof T]> }
              : Fields<T>;

/** The shape of what a kind's objects have beside apiVersion, kind and metadata. */
export type Body<T extends KubeObject> = Shape<Omit<T, keyof KubeObject>>;

type Fields<T> = {
  readonly [K in keyof T & string as `${K}${Absent<T[K]>}${Null<T[K]>}`]-?: Shape<
    Exclude<T[K], undefined | null>
  >;
};

type Absent<V> = unknown extends V ? "?" : undefined extends V ? "?" : "";
type Null<V> = unknown extends V ? "" : null extends V ? "|null" : "";

/** A shape as data. */
export type AnyShape = string | readonly [AnyShape] | { readonly [field: string]: AnyShape };

/** The shape that a schema describes. */
export function shapeOf(schema: Schema): AnyShape {
  if (schema["x-kubernetes-int-or-string"]) return "intOrString";
  if (schema.items !== undefined) return [shapeOf(schema.items)];
  if (schema.additionalProperties !== undefined) {
    return { "*": shapeOf(schema.additionalProperties) };
  }
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        `${name}${schema.required?.includes(name) ? "" : "?"}${property.nullable ? "|null" : ""}`,
        shapeOf(property),
      ]),
    );
  }
  if (schema.type !== "object") return schema.type ?? "any";
  return schema["x-kubernetes-preserve-unknown-fields"] ? "opaque" : {};
}
