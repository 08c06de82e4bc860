/** The table of a CustomResourceDefinition's version (apiextensions-apiserver: pkg/registry/customresource/tableconvertor). Pure. */

import type { Cell } from "../../printers/cell.ts";
import type { Printer } from "../../printers/printers.ts";
import { nameOf } from "../../printers/texts.ts";
import { listAt, textAt, wholeAt } from "../../tree.ts";
import type { ColumnDefinition } from "../resource-type.ts";
import { printed } from "./compare.ts";
import { valuesAt } from "./find.ts";
import { type Path, parsePath } from "./json-path.ts";

/** What is shown of an object in a list, and how that is found. */
export interface CrdTable {
  readonly columns: readonly ColumnDefinition[];
  /** Texts of paths in braces, by column. */
  readonly paths: Readonly<Record<string, string>>;
  readonly cells: Printer;
}

/** Texts of the API server (apimachinery: pkg/apis/meta/v1/types_swagger_doc_generated.go). */
const nameDescription =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const creationDescription =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const nameColumn: ColumnDefinition = {
  ...{ name: "Name", type: "string", format: "name" },
  ...{ description: nameDescription, priority: 0 },
};

/** What a version that declares no columns shows. */
const ageColumn = {
  ...{ name: "Age", type: "date", description: creationDescription },
  jsonPath: ".metadata.creationTimestamp",
};

interface Column {
  readonly definition: ColumnDefinition;
  readonly text: string;
  readonly path: Path;
}

/** The table of a version in a CustomResourceDefinition's spec: the name, then its columns, up to the first whose path cannot be read. */
export function crdTable(version: unknown): CrdTable {
  const declared = listAt(version, "additionalPrinterColumns");
  const columns: Column[] = [];
  for (const each of declared.length === 0 ? [ageColumn] : declared) {
    const column = columnOf(each);
    if (column === undefined) break;
    columns.push(column);
  }
  return {
    columns: [nameColumn, ...columns.map(({ definition }) => definition)],
    paths: pathsOf(declared),
    cells: (object) => [nameOf(object), ...columns.map((column) => cellOf(object, column))],
  };
}

/** As declared, readable or not (steve: pkg/schema/converter/crd.go). */
function pathsOf(declared: readonly unknown[]): Readonly<Record<string, string>> {
  const all = declared.length === 0 ? [ageColumn] : declared;
  const texts = all.map((each) => [textAt(each, "name"), `{${textAt(each, "jsonPath")}}`]);
  return { Name: "{.metadata.name}", ...Object.fromEntries(texts) };
}

function columnOf(declared: unknown): Column | undefined {
  const text = textAt(declared, "jsonPath");
  const path = parsePath(text);
  if (path === undefined) return undefined;
  const otherwise = `Custom resource definition column (in JSONPath format): ${text}`;
  const definition = {
    name: textAt(declared, "name"),
    type: textAt(declared, "type"),
    format: textAt(declared, "format"),
    description: textAt(declared, "description") || otherwise,
    priority: wholeAt(declared, "priority") ?? 0,
  };
  return { definition, text, path };
}

/** What is nested too deep to be walked or written is not shown. */
function cellOf(object: unknown, column: Column): Cell {
  try {
    return firstCell(object, column);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/** Only the first value is shown. */
function firstCell(object: unknown, { definition, path }: Column): Cell {
  const values = valuesAt(object, path);
  if (values === undefined || values.length === 0) return null;
  const [value] = values;
  return definition.type === "string" ? printed(value) : (cells[definition.type]?.(value) ?? null);
}

/** Values that do not fit their column are not shown. */
const cells: Readonly<Record<string, (value: unknown) => Cell>> = {
  integer: (value) => (typeof value === "number" ? Math.trunc(value) : wholeOf(value)),
  number: (value) => (typeof value === "number" ? value : doubleOf(value)),
  boolean: (value) => (typeof value === "boolean" ? value : null),
  date: (value) => (typeof value === "string" ? dateOf(value) : null),
};

/** An integer that a double would round. */
function wholeOf(value: unknown): bigint | null {
  return typeof value === "bigint" ? value : null;
}

function doubleOf(value: unknown): number | null {
  return typeof value === "bigint" ? Number(value) : null;
}

/**
 * The date itself, where the API server's own table has the time since then: clients of /v1 count on it in lists, and sort by it
 * (steve: pkg/resources/virtual/dates).
 */
function dateOf(value: string): string {
  if (value === "" || value === "null") return "<unknown>";
  return isRfc3339(value) ? value : "<invalid>";
}

function isRfc3339(text: string): boolean {
  const [, date, clock] =
    /^(\d{4}-\d\d-\d\d)T(\d\d?:\d\d:\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (date === undefined || clock === undefined) return false;
  const time = new Date(`${date}T${clock.padStart(8, "0")}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}
