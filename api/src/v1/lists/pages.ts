/** Which rows of an answer are wanted, and where the next ones are. */

import type { Cache, Filter, Sort } from "kopf-ts";
import { cursorText } from "../query/cursor.ts";
import type { ListQuery } from "../query/list-query.ts";
import type { Slices } from "../slices.ts";

/** The keys of a page. */
export interface Page {
  readonly keys: readonly string[];
  readonly total: number;
  readonly revision: string;
  /** How many were asked for at most. */
  readonly limit: number | undefined;
  /** Where the list goes on; undefined when it ends here. */
  readonly next: string | undefined;
}

/** What a page is cut from. */
export interface Rows {
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
  /** Puts keys in an order that the cache does not know; then `sort` is for what is equal in it. */
  readonly sorted?: ((keys: readonly string[]) => Promise<readonly string[]>) | undefined;
}

/** More objects than these are looked at filter by filter, with turns for others between. */
const manyObjects = 5000;

/** Lets the cache find out beforehand what passes each of several filters, after it has read labels beside other work; it remembers that, so that a page takes one look at the sums. */
export async function prefilter(cache: Cache, { filters }: Rows, slices: Slices): Promise<void> {
  if (cache.size < manyObjects) return;
  for (const filter of filters.flatMap(partsOf)) {
    await cache.prepareFilter(filter);
    cache.query({ filter, limit: 0 });
    await slices.rest();
  }
}

/** A filter, and before it those of which one has to hold. */
function partsOf(filter: Filter): readonly Filter[] {
  return "any" in filter ? [...filter.any, filter] : [filter];
}

/** Steve pages by numbers (`page`, `pagesize`), Kubernetes goes on from cursors (`limit`, `continue`). */
export async function pageOf(cache: Cache, query: ListQuery, rows: Rows): Promise<Page> {
  const { cursor } = query;
  if (cursor !== undefined && "after" in cursor)
    return behind(cache, rows, cursor.after, query.limit);
  if (query.pageSize !== undefined) return numbered(cache, query, query.pageSize, rows);
  if (query.limit !== undefined) return limited(cache, query, query.limit, rows);
  return cut(cache, rows, offsetOf(query), undefined);
}

/** More keys than these are looked for in an order that is at hand, which is made beside other work; ... */
const largePage = 1000;
/** ... and any among more than these. */
const manyRows = 20_000;

function filterOf({ filters }: Rows): Filter | undefined {
  return filters.length === 0 ? undefined : { all: filters };
}

function totalOf(cache: Cache, rows: Rows): number {
  return cache.query({ filter: filterOf(rows), limit: 0 }).total;
}

async function cut(
  cache: Cache,
  rows: Rows,
  offset: number,
  limit: number | undefined,
): Promise<Page> {
  const { sort, sorted } = rows;
  if (sorted !== undefined) return cutSorted(cache, rows, sorted, offset, limit);
  const end = offset + (limit ?? cache.size);
  const among = totalOf(cache, rows);
  if (among > manyRows || Math.min(end, among) > largePage) await cache.prepare(sort);
  const most = limit ?? Number.POSITIVE_INFINITY;
  const found = cache.query({ filter: filterOf(rows), sort, offset, limit: most });
  const { keys, total, resourceVersion } = found;
  const isLast = limit === undefined || offset + keys.length >= total;
  const next = isLast ? undefined : String(offset + limit);
  return { keys, total, revision: resourceVersion, limit, next };
}

/** All keys are put in order: for orders of fields that few objects have. */
async function cutSorted(
  cache: Cache,
  rows: Rows,
  sorted: NonNullable<Rows["sorted"]>,
  offset: number,
  limit: number | undefined,
): Promise<Page> {
  const { keys, ...page } = await cut(cache, { ...rows, sorted: undefined }, 0, undefined);
  const end = offset + (limit ?? keys.length);
  const next = end < keys.length ? String(end) : undefined;
  return { ...page, limit, next, keys: (await sorted(keys)).slice(offset, end) };
}

/** The number that Steve gives for `continue` is as good as a page. */
function numbered(cache: Cache, query: ListQuery, size: number, rows: Rows): Promise<Page> {
  const offset = query.cursor === undefined ? (query.page - 1) * size : offsetOf(query);
  return cut(cache, rows, offset, size);
}

function offsetOf({ cursor }: ListQuery): number {
  return cursor !== undefined && "offset" in cursor ? cursor.offset : 0;
}

/** Without a sort order in that of ids, where the next page begins behind the last id; else by counting. */
async function limited(cache: Cache, query: ListQuery, limit: number, rows: Rows): Promise<Page> {
  if (query.sort.length > 0 || query.cursor !== undefined) {
    const page = await cut(cache, rows, offsetOf(query), limit);
    const next = page.next && cursorText({ offset: Number(page.next), revision: page.revision });
    return { ...page, next };
  }
  return behind(cache, rows, undefined, limit);
}

async function behind(
  cache: Cache,
  rows: Rows,
  after: string | undefined,
  limit: number | undefined,
): Promise<Page> {
  const rest: Filter[] = after === undefined ? [] : [{ column: "id", op: ">", value: after }];
  const page = await cut(cache, { filters: [...rows.filters, ...rest], sort: [] }, 0, limit);
  const total = after === undefined ? page.total : totalOf(cache, rows);
  const last = page.keys.at(-1);
  const isLast = page.next === undefined || last === undefined;
  const next = isLast ? undefined : cursorText({ after: last, revision: page.revision });
  return { ...page, total, next };
}
