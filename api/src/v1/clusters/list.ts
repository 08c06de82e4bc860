/** `GET /v1/<type>?clusters=`: one list over several clusters. */

import { scopeOf } from "../../caller.ts";
import type { Exchange } from "../../stage.ts";
import { sendCollection } from "../answers/answer.ts";
import { inCluster } from "../items/in-cluster.ts";
import type { Shape } from "../items/item.ts";
import { parseShape } from "../items/shape.ts";
import { pagination } from "../lists/envelope.ts";
import { compareRows, type Direction } from "../lists/orders.ts";
import { reading } from "../lists/problems.ts";
import { problem } from "../problem.ts";
import { parseClusters, parseRevisions, revisionText } from "../query/clusters.ts";
import { shorten } from "../query/field.ts";
import { type ListQuery, parseListQuery } from "../query/list-query.ts";
import type { ClusterList, ClusterRow } from "./cluster-source.ts";
import type { Answers, Asker, Clusters } from "./clusters.ts";
import { merged } from "./merge.ts";
import { clustersOf, warningsOf } from "./warnings.ts";

/** What is listed, and for whom. */
export interface SeveralRequest extends Omit<Asker, "caller" | "scope"> {
  readonly exchange: Exchange;
  /** Id or plural name of a type, which not every cluster has to have. */
  readonly type: string;
  /** Its id in the server's own cluster; told where no cluster answers. */
  readonly resourceType: string;
  readonly namespace: string | undefined;
}

/** A list, as far as it was understood. */
interface Wanted {
  readonly query: ListQuery;
  readonly shape: Shape;
  readonly window: Window;
  /** How new the answers of clusters have to be at least. */
  readonly revisions: ReadonlyMap<string, string>;
}

/** Which rows of the merged order. */
interface Window {
  readonly offset: number;
  readonly size: number | undefined;
}

/** A row, and whose it is. */
interface Place {
  readonly cluster: string;
  readonly list: ClusterList;
  readonly row: ClusterRow;
}

/** Answers with the objects of all clusters in one order. Throws Problems (422) for parameters, among them those that have no meaning for several clusters. */
export function listOfClusters(clusters: Clusters): (request: SeveralRequest) => Promise<void> {
  return async (request) => {
    const { exchange, type, namespace } = request;
    const wanted = wantedBy(exchange.query);
    const names = reading(() => parseClusters(exchange.query)) ?? "all";
    const { caller } = exchange.login;
    const { shape, window, revisions } = wanted;
    const most = window.size === undefined ? Number.POSITIVE_INFINITY : window.offset + window.size;
    const asker = { ...request, caller, scope: scopeOf(exchange.login) };
    const answers = await clusters.ask(names, asker, (source, place) =>
      source.list({
        ...{ caller, type, namespace, shape, most, ...place },
        query: { ...wanted.query, revision: revisions.get(place.cluster) },
      }),
    );
    try {
      await write(request, wanted, answers);
    } finally {
      for (const { answer } of answers.answered) answer[Symbol.dispose]();
    }
  };
}

function wantedBy(query: URLSearchParams): Wanted {
  const rest = new URLSearchParams(query);
  rest.delete("revision"); // one of several clusters is no number
  const list = reading(() => parseListQuery(rest));
  const shape = parseShape(query);
  for (const [parameter, isGiven] of [
    ["summary", list.summary !== undefined],
    ["includeAssociatedData", list.associatedData],
    ["continue", list.cursor !== undefined && !("offset" in list.cursor)],
  ] as const) {
    if (isGiven) throw problem("InvalidOption", `${parameter} is of one cluster alone`, parameter);
  }
  return { query: list, shape, window: windowOf(list), revisions: revisionsOf(query) };
}

/** What an answer before, or an event, said: `local:12,c-abcde:34`. */
function revisionsOf(query: URLSearchParams): ReadonlyMap<string, string> {
  const text = query.get("revision") ?? "";
  const revisions = parseRevisions(text);
  if (revisions !== undefined) return revisions;
  const message = `${shorten(text)} is no revision of several clusters`;
  throw problem("InvalidFormat", message, "revision");
}

function windowOf({ page, pageSize, limit, cursor }: ListQuery): Window {
  const size = pageSize ?? limit;
  if (cursor !== undefined && "offset" in cursor) return { offset: cursor.offset, size };
  return { offset: pageSize === undefined ? 0 : (page - 1) * pageSize, size };
}

async function write(
  { exchange, base, resourceType }: SeveralRequest,
  { window }: Wanted,
  { answered, failed }: Answers<ClusterList>,
): Promise<void> {
  const { response, query, path, signal } = exchange;
  const total = answered.reduce((sum, { answer }) => sum + answer.total, 0);
  const { offset, size } = window;
  const next = size !== undefined && offset + size < total ? String(offset + size) : undefined;
  const revision = revisionText(
    answered.map(({ cluster, answer }) => [cluster, answer.revision] as const),
  );
  const envelope = {
    ...{ type: "collection", links: { self: base + path }, actions: {} },
    resourceType: answered[0]?.answer.resourceType ?? resourceType,
    clusters: clustersOf(answered, failed, countOf),
    ...(revision !== "" && { revision }),
    ...pagination(base + path, query, { limit: size, next }),
    ...(next !== undefined && { continue: next }),
    ...(total > 0 && { count: total }),
  };
  for (const warning of warningsOf(failed, answered)) response.appendHeader("Warning", warning);
  await sendCollection(exchange, { envelope, items: itemsIn(answered, window, signal) });
}

function countOf({ total, revision }: ClusterList): object {
  return { count: total, ...(revision !== "" && { revision }) };
}

function* itemsIn(
  answered: Answers<ClusterList>["answered"],
  window: Window,
  signal: AbortSignal,
): Generator<Promise<readonly Uint8Array[] | undefined> | undefined, void> {
  for (const place of placesIn(answered, window)) yield place && itemOf(place, signal);
}

/** The rows of the window. What comes before it is undefined, so that somebody who reads may rest. */
function* placesIn(
  answered: Answers<ClusterList>["answered"],
  { offset, size }: Window,
): Generator<Place | undefined, void> {
  const directions = answered.find(({ answer }) => answer.rows.length > 0)?.answer.directions ?? [];
  const rows = merged(
    answered.map(({ answer }) => answer.rows),
    (a, b) => compare(a, b, directions),
  );
  let at = 0;
  for (const { list, item: row } of rows) {
    if (size !== undefined && at >= offset + size) return;
    const from = answered[list];
    const isWanted = at++ >= offset && from !== undefined;
    yield isWanted ? { cluster: from.cluster, list: from.answer, row } : undefined;
  }
}

/** As one cluster has it: what is equal in all keys is in the order of ids. */
function compare(a: ClusterRow, b: ClusterRow, directions: readonly Direction[]): number {
  const order = compareRows(a.values, b.values, directions);
  if (order !== 0 || a.id === b.id) return order;
  const [x, y] = [a.id.toLowerCase(), b.id.toLowerCase()];
  return x < y || (x === y && a.id < b.id) ? -1 : 1;
}

async function itemOf(
  { cluster, list, row }: Place,
  signal: AbortSignal,
): Promise<readonly Uint8Array[] | undefined> {
  const parts = await list.item(row, signal);
  return parts && inCluster(cluster, parts);
}
