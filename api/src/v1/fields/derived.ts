/** Fields that /v1 shows, or Steve indexes, and no API server sends (steve: pkg/resources/virtual). */

import type { Cell } from "../printers/cell.ts";
import type { FieldPath } from "../query/field.ts";
import { at, listAt, textAt } from "../tree.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { Ordered } from "./indexed.ts";
import { quantityOf } from "./quantity.ts";
import type { State } from "./state.ts";
import { isOfItem } from "./values.ts";

/** How a field that is made comes from an object. */
export interface Derived {
  readonly ordered: Ordered;
  readonly from: (object: unknown) => unknown;
  /** Asks for objects whose integers are not rounded. */
  readonly exact?: boolean;
  /** What orders it instead of its numbers. */
  readonly rank?: (object: unknown) => number;
}

/** How a field is made; `invalid` for one that /v1 has but nobody can ask for; undefined for what objects have themselves. */
export function derivedOf(
  type: ResourceType,
  path: FieldPath,
  stateOf: (object: unknown) => State,
): Derived | "invalid" | undefined {
  const [first = "", second, third, ...rest] = path;
  if (isOfItem(path)) return "invalid";
  if (first === "metadata" && second === "state") {
    return rest.length === 0 ? ofState(third, stateOf) : "invalid";
  }
  if (first === "metadata" && second === "fields") return ofCell(type, path.slice(2));
  return isManagedCluster(type) ? ofCluster(path) : undefined;
}

function ofState(
  key: string | undefined,
  stateOf: (object: unknown) => State,
): Derived | "invalid" {
  if (key !== "name" && key !== "error" && key !== "message" && key !== "transitioning") {
    return "invalid";
  }
  return { ordered: "text", from: (object) => stateOf(object)[key] };
}

/** A cell of the table: times are milliseconds since the Unix epoch; restarts of a Pod are their number `[3]`, `[3][0]` and the time of the last `[3][1]`. */
function ofCell(type: ResourceType, [index = "", part, ...rest]: FieldPath): Derived | "invalid" {
  const column = /^\d+$/.test(index) ? type.columns[Number(index)] : undefined;
  const { cells } = type;
  if (column === undefined || cells === undefined || rest.length > 0) return "invalid";
  const cell = (object: unknown): Cell | undefined => cells(object)[Number(index)];
  if (isRestarts(type, index)) return ofRestarts(cell, part);
  if (part !== undefined) return "invalid";
  const ordered = orderOfColumn(type, Number(index));
  return { ordered, from: (object) => plainOf(cell(object)), exact: true };
}

function isRestarts({ kind }: ResourceType, index: string): boolean {
  return kind.group === "" && kind.kind === "Pod" && index === "3";
}

type CellOf = (object: unknown) => Cell | undefined;

/** Later than any restart. */
const never = 1e15;

function ofRestarts(cell: CellOf, part: string | undefined): Derived | "invalid" {
  if (part === undefined || part === "0") {
    return { ordered: "number", from: (object) => restartsOf(cell(object)) };
  }
  if (part !== "1") return "invalid";
  const last = (object: unknown): number => {
    const found = cell(object);
    return typeof found === "object" && found !== null && "restarts" in found ? found.since : 0;
  };
  // Pods that restarted lately come first, those that never did last.
  const rank = (object: unknown): number => never - last(object);
  return { ordered: "number", from: last, rank };
}

function restartsOf(cell: Cell | undefined): number {
  if (typeof cell === "object" && cell !== null) return "restarts" in cell ? cell.restarts : 0;
  return Number(cell) || 0;
}

function plainOf(cell: Cell | undefined): unknown {
  return typeof cell === "object" && cell !== null ? cell.since : cell;
}

/** Numbers of things that Kubernetes calls texts. */
const counts: Readonly<Record<string, number>> = { Secret: 2, ServiceAccount: 1, ConfigMap: 1 };

function orderOfColumn({ kind, columns }: ResourceType, index: number): Ordered {
  const { type = "", name = "", description = "" } = columns[index] ?? {};
  if (type === "date" || name === "Age") return "date";
  if (type === "integer" || type === "number" || type === "boolean") return "number";
  if (kind.group === "" && counts[kind.kind] === index) return "number";
  return /\bnumber of\b/i.test(description) ? "number" : "text";
}

function isManagedCluster({ kind }: ResourceType): boolean {
  return kind.group === "management.cattle.io" && kind.kind === "Cluster";
}

/** Whether an agent is there, and resources as numbers (steve: pkg/resources/virtual/clusters). */
function ofCluster([first, second, third, ...rest]: FieldPath): Derived | undefined {
  if (first !== "status" || second === undefined || rest.length > 0) return undefined;
  if (second === "connected" && third === undefined) return { ordered: "text", from: isConnected };
  const [, which] = /^(cpu|memory)Raw$/.exec(third ?? "") ?? [];
  if (which === undefined || (second !== "allocatable" && second !== "requested")) return undefined;
  const from = (object: unknown): unknown => quantityOf(at(object, "status", second, which));
  return { ordered: "number", from };
}

function isConnected(object: unknown): boolean {
  return listAt(object, "status", "conditions").some(
    (each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True",
  );
}
