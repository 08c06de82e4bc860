/** Writes docs/reference/crds.md from the CRDs: run `node crds/dist/reference.js` after changing one. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CustomResourceDefinition,
  readManifest,
  type Schema,
  schemaOf,
  versionOf,
} from "./install/manifest.ts";
import { kinds } from "./kinds.ts";

/** The file that is generated. */
export const referenceFile: string = join(
  import.meta.dirname,
  "..",
  "..",
  "docs",
  "reference",
  "crds.md",
);

const introduction = `# Custom resources

All kinds are of \`management.cattle.io/v3\` and equal upstream's in names, scope, columns and subresources; Cluster and Node, of
which upstream shows the age alone, have columns of ours. Where upstream keeps fields it does not know, so do we; elsewhere the API
server drops them. A kind without a status subresource takes its status with the rest of the object.

<!-- Generated from crds/*.yaml by crds/src/reference.ts; run \`node crds/dist/reference.js\` to write it anew. -->
`;

/** The whole page. */
export async function reference(): Promise<string> {
  const manifests = await Promise.all(kinds.map(readManifest));
  return [introduction, overview(manifests), ...manifests.map(section)].join("\n");
}

function overview(manifests: readonly CustomResourceDefinition[]): string {
  return table(
    ["Kind", "Scope", "Status subresource", "Unknown fields", "Columns", "Purpose"],
    manifests.map((manifest) => {
      const { names, scope } = manifest.spec;
      const { subresources, additionalPrinterColumns = [] } = versionOf(manifest);
      const { description = "", ...schema } = schemaOf(manifest);
      return [
        `[${names.kind}](#${names.kind.toLowerCase()})`,
        scope === "Cluster" ? "cluster" : "namespace",
        subresources?.status === undefined ? "no" : "yes",
        schema["x-kubernetes-preserve-unknown-fields"] ? "kept" : "dropped",
        additionalPrinterColumns.map(({ name, jsonPath }) => `${name} \`${jsonPath}\``).join(", "),
        firstSentence(description),
      ];
    }),
  );
}

function section(manifest: CustomResourceDefinition): string {
  const schema = schemaOf(manifest);
  return `## ${manifest.spec.names.kind}

${schema.description ?? ""}

\`${manifest.metadata.name}\`

${table(["Field", "Type", "Meaning"], fields(schema, ""))}`;
}

/** A row per field and a list of rows below each field that has fields of its own. */
function fields(schema: Schema, path: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = path === "" ? name : `${path}.${name}`;
    const required = schema.required?.includes(name) ? ", required" : "";
    const row = [`\`${field}\``, `${typeName(property)}${required}`, property.description ?? ""];
    const [suffix, inner] = innermost(property);
    return [row, ...fields(inner, `${field}${suffix}`)];
  });
}

/** Steps through lists and maps to what they hold; the suffix stands for the steps. */
function innermost(schema: Schema, suffix = ""): readonly [suffix: string, schema: Schema] {
  if (schema.items !== undefined) return innermost(schema.items, `${suffix}[]`);
  if (schema.additionalProperties !== undefined) {
    return innermost(schema.additionalProperties, `${suffix}.*`);
  }
  return [suffix, schema];
}

function typeName(schema: Schema): string {
  return schema.nullable ? `${bareTypeName(schema)} or null` : bareTypeName(schema);
}

function bareTypeName({ items, additionalProperties, ...schema }: Schema): string {
  if (schema["x-kubernetes-int-or-string"]) return "integer or string";
  if (items !== undefined) return `list of ${typeName(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeName(additionalProperties)}`;
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  }
  if (schema.format === "date-time") return "time (RFC 3339)";
  return schema.type ?? "anything";
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |\n`).join("");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function firstSentence(text: string): string {
  return /^.*?[.](?= |$)/.exec(text)?.[0] ?? text;
}

if (import.meta.main) await writeFile(referenceFile, await reference());
