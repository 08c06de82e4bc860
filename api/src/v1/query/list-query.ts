/** What a list asks for, from the parameters of its URL (steve: pkg/stores/sqlpartition/listprocessor/processor.go). */

import { type Cursor, parseCursor } from "./cursor.ts";
import { QueryError } from "./errors.ts";
import { type FieldPath, parseField, shorten } from "./field.ts";
import { parseFilter, type Requirement } from "./filter.ts";
import { type OwnerName, parseOwner } from "./owner.ts";
import { checkedSelector, type FieldTerm, parseFieldSelector } from "./selectors.ts";
import { parseSort, type SortKey } from "./sort.ts";
import { splitOutside } from "./split.ts";

/** Namespaces by their names, or by the projects that they are in. */
export interface Places {
  readonly op: "in" | "notin";
  readonly values: readonly string[];
}

/** Which fields' values are counted. */
export interface Summary {
  readonly fields: readonly FieldPath[];
  /** Nothing but the counts is wanted. */
  readonly only: boolean;
  /** Counts for each namespace besides. */
  readonly namespaced: boolean;
}

/** One list, as asked for. */
export interface ListQuery {
  /** Of each, one requirement has to hold. */
  readonly filters: readonly (readonly Requirement[])[];
  /** Kubernetes' own: each has to hold. */
  readonly fieldSelector: readonly FieldTerm[];
  /** Kubernetes' own; undefined for none. */
  readonly labelSelector: string | undefined;
  /** By id when there is none. */
  readonly sort: readonly SortKey[];
  /** From 1. */
  readonly page: number;
  /** Undefined: all on one page. */
  readonly pageSize: number | undefined;
  /** How many at most, as Kubernetes counts: from where `cursor` says. */
  readonly limit: number | undefined;
  readonly cursor: Cursor | undefined;
  /** At least as new as this resourceVersion. */
  readonly revision: string | undefined;
  readonly places: Places | undefined;
  readonly summary: Summary | undefined;
  /** Only what belongs to it, at any depth. */
  readonly owner: OwnerName | undefined;
  readonly associatedData: boolean;
}

/** Reads the parameters of a list. Throws QueryError, which names the parameter. */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const parsed: ListQuery = {
    filters: query.getAll("filter").map((text) => parseFilter(text)),
    fieldSelector: given(query, "fieldSelector", parseFieldSelector) ?? [],
    labelSelector: given(query, "labelSelector", checkedSelector),
    sort: parseSort(query.get("sort") ?? ""),
    page: Math.max(1, whole(query, "page") ?? 1),
    pageSize: positive(whole(query, "pagesize")),
    limit: positive(whole(query, "limit")),
    cursor: given(query, "continue", parseCursor),
    revision: revision(query),
    places: places(query),
    summary: summary(query),
    owner: parseOwner(query.getAll("owner")),
    associatedData: query.getAll("includeAssociatedData").at(-1)?.toLowerCase() === "true",
  };
  mustGoOn(parsed);
  return parsed;
}

/** Behind an object a list goes on in the order of ids, in which there are no numbered pages. */
function mustGoOn({ cursor, sort, pageSize }: ListQuery): void {
  if (cursor === undefined || "offset" in cursor) return;
  const other = sort.length > 0 ? "sort" : pageSize && "pagesize";
  if (other !== undefined)
    throw new QueryError("continue", `continue is of a list without ${other}`);
}

function given<T>(
  query: URLSearchParams,
  parameter: string,
  parse: (text: string) => T,
): T | undefined {
  const text = query.get(parameter) ?? "";
  return text === "" ? undefined : parse(text);
}

function whole(query: URLSearchParams, parameter: string): number | undefined {
  const text = query.get(parameter);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new QueryError(parameter, `${parameter} must be a whole number, not '${shorten(text)}'`);
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function revision(query: URLSearchParams): string | undefined {
  const text = query.get("revision");
  if (text === null || text === "") return undefined;
  if (/^[+-]?\d{1,19}$/.test(text)) return text;
  const why = `value ${shorten(text)} for revision query param is not valid`;
  throw new QueryError("revision", why);
}

function places(query: URLSearchParams): Places | undefined {
  const within = query.get("projectsornamespaces") ?? "";
  if (within !== "") return { op: "in", values: within.split(",") };
  const without = query.get("projectsornamespaces!") ?? "";
  return without === "" ? undefined : { op: "notin", values: without.split(",") };
}

/** Each becomes a column of all objects. */
const mostCounted = 16;

function summary(query: URLSearchParams): Summary | undefined {
  const texts = query.getAll("summary");
  const only = flag(query, "summaryonly");
  const namespaced = flag(query, "summarynamespaced");
  if (texts.length > 1) throw new QueryError("summary", "at most one summary parameter is allowed");
  const [text] = texts;
  if (text === undefined) {
    if (only) throw new QueryError("summaryonly", "summaryonly needs summary");
    if (namespaced) throw new QueryError("summarynamespaced", "summarynamespaced needs summary");
    return undefined;
  }
  const fields = splitOutside(text, "[]");
  if (fields.length > mostCounted) {
    throw new QueryError("summary", `more than ${mostCounted} fields to count`);
  }
  return { fields: fields.map((field) => parseField(field, "summary")), only, namespaced };
}

/** `?name`, `?name=` and `?name=true` switch it on; the last one counts. */
function flag(query: URLSearchParams, parameter: string): boolean {
  const text = query.getAll(parameter).at(-1);
  if (text === undefined || text === "false") return false;
  if (text === "" || text === "true") return true;
  throw new QueryError(parameter, `${parameter} must be true or false, not '${shorten(text)}'`);
}
