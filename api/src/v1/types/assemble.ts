/** Puts together what is known of a type. */

import { defineKind, type Kind } from "kopf-ts";
import { nameAndCreation, type Printer, printerOf } from "../printers/printers.ts";
import type { ErrorMapping } from "../summary/error-mapping.ts";
import type { ChosenKind } from "./choose.ts";
import type { ServerTable } from "./columns/server-tables.ts";
import type { CrdVersion } from "./crds.ts";
import { pluralName } from "./names.ts";
import type { ColumnDefinition, ResourceType } from "./resource-type.ts";
import { toldCells } from "./told.ts";

/** What a type is made of. */
export interface TypeParts {
  readonly id: string;
  readonly chosen: ChosenKind;
  readonly crd: CrdVersion | undefined;
  readonly isAggregated: boolean;
  readonly table: ServerTable | undefined;
  readonly errorMapping: ErrorMapping | undefined;
  /** The schema of a CustomResourceDefinition's version. */
  readonly schema: () => unknown;
}

/** Equal for parts that make equal types. */
export function digestOf({ chosen, crd, isAggregated, table }: TypeParts): string {
  const { served, preferredVersion, preferredGroup } = chosen;
  const { group, version, plural, kind, scope, verbs } = served;
  return JSON.stringify([
    ...[group, version, plural, kind, scope, verbs, preferredVersion, preferredGroup],
    ...[crd?.digest, isAggregated, table?.digest, table?.table],
  ]);
}

/** The type that the parts make. */
export function assemble(parts: TypeParts): ResourceType {
  const { id, chosen, crd, isAggregated, table, errorMapping, schema } = parts;
  const { served, preferredVersion, preferredGroup } = chosen;
  const columns = crd?.columns ?? table?.columns ?? [];
  return {
    id,
    pluralName: pluralName(served),
    kind: defineKind(kindOf(served)),
    verbs: served.verbs,
    preferredVersion,
    preferredGroup,
    columns,
    table: crd !== undefined || (table?.table ?? true),
    columnPaths: crd?.paths,
    cells: crd?.cells ?? (isAggregated ? undefined : builtInCells(served, columns)) ?? told(table),
    crd: crd !== undefined,
    aggregated: isAggregated,
    description: crd?.description ?? "",
    observesGeneration: crd?.observesGeneration ?? false,
    errorStatuses: errorMapping?.get(`${served.group}/${served.version}/${served.kind}`),
    get schema() {
      return crd === undefined ? undefined : schema();
    },
  };
}

function kindOf({ group, version, plural, kind, scope }: Kind) {
  return { group, version, plural, kind, scope };
}

/** Kinds of which the API server itself prints a cell more than it has columns (kubernetes: pkg/printers/internalversion/printers.go). */
const uneven: ReadonlySet<string> = new Set(["IPAddress"]);

/** A server of another version may have other columns than our printers: then only it can tell the cells. */
function builtInCells(
  { group, version, kind }: Kind,
  columns: readonly ColumnDefinition[],
): Printer | undefined {
  const printer = printerOf(group, version, kind);
  if (printer !== undefined) {
    return uneven.has(kind) || fits(printer, columns) ? printer : undefined;
  }
  const names = columns.map(({ name }) => name).join();
  return names === "Name,Created At" ? nameAndCreation : undefined;
}

/** A server that names no columns makes no cells either. */
function told(table: ServerTable | undefined): Printer | undefined {
  return table === undefined || table.columns.length === 0 ? undefined : toldCells;
}

function fits(printer: Printer, columns: readonly ColumnDefinition[]): boolean {
  return columns.length === 0 || printer({}).length === columns.length;
}
