/** Objects made from a schema: every described field has a value, so that a test can see what becomes of each. */

import type { Schema } from "../install/manifest.ts";

/** A field that no schema describes, with everything in it that JSON has. */
export const unknownField: Readonly<Record<string, unknown>> = {
  deep: [1, "two", true, null, { more: 2.5 }],
};

/** A value of the schema. With `unknown`, each object that has described fields gets `unknownField` as well. */
export function sample(schema: Schema, options: { readonly unknown: boolean }): unknown {
  if (schema["x-kubernetes-int-or-string"]) return "50%";
  switch (schema.type) {
    case "object":
      return sampleObject(schema, options);
    case "array":
      return [sample(schema.items ?? {}, options)];
    case "boolean":
      return true;
    case "integer":
      return 7;
    case "string":
      return sampleString(schema);
    default:
      return unknownField;
  }
}

function sampleObject(schema: Schema, options: { readonly unknown: boolean }): unknown {
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== undefined) return { any: sample(additionalProperties, options) };
  if (properties === undefined) {
    return schema["x-kubernetes-preserve-unknown-fields"] ? { unknownField } : {};
  }
  return {
    ...Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, sample(property, options)]),
    ),
    ...(options.unknown ? { unknownField } : {}),
  };
}

function sampleString({ enum: values, format }: Schema): string {
  if (format === "date-time") return "2026-08-21T10:00:00Z";
  return values?.[0] ?? "Text";
}
