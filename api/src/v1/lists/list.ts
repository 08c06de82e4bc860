/** Lists of one type: GET of a collection, answered from its cache (steve: pkg/stores/sqlpartition, pkg/stores/sqlproxy). */

import type { Filter } from "kopf-ts";
import { isNothing, type Reach } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import type { Field, Fields } from "../fields/index.ts";
import type { Inventory, ObjectId } from "../inventory/inventory.ts";
import { parseShape } from "../items/shape.ts";
import { type ListQuery, parseListQuery } from "../query/list-query.ts";
import type { TypeHandler, TypeRequest } from "../request.ts";
import { Slices } from "../slices.ts";
import { envelope } from "./envelope.ts";
import { filtersOf, sortOf } from "./filters.ts";
import { formatNameOf, formats } from "./formats.ts";
import { joinsOf, need } from "./joins.ts";
import { joinedOrder } from "./orders.ts";
import { ownedBy, ownerOf } from "./owners.ts";
import { type Page, pageOf, prefilter } from "./pages.ts";
import { placesFilter } from "./places.ts";
import { goneCursor, notListable, reading, unknownRevision } from "./problems.ts";
import { type Resolved, Resolver } from "./resolve.ts";
import { type ReadValue, summaryOf } from "./summaries.ts";
import type { Documents } from "./told.ts";
import { type Answer, type Wanted, type WriteParts, writeList } from "./write.ts";

/** What lists are made from. */
export interface ListParts extends WriteParts {
  readonly fields: Fields;
  /** Knows who owns what. */
  readonly inventory: Inventory;
  /** Without it, fields of built-in types beyond Steve's are those that objects have. */
  readonly openApi?: Documents | undefined;
}

/** Milliseconds to wait for a revision that others have seen and this replica has not. */
const revisionWait = 2000;

/**
 * Answers GET of a collection. Callers without any right to list get an empty list, not an error. Rows that a caller may not see influence nothing: not counts, pages,
 * summaries, nor which fields there are. Throws Problems: 405 for types that cannot be listed, 422 for parameters, 400 and 410 for revisions that do not come, 503 while
 * the cluster does not answer. Work is done in slices of 5 ms, and large answers are written as fast as the caller reads.
 */
export function listHandler(parts: ListParts): TypeHandler {
  const lists = new Lists(parts);
  return (request) => lists.answer(request);
}

/** One list, as far as it was understood. */
interface Asked extends Wanted {
  readonly query: ListQuery;
  readonly reach: Reach;
  /** Undefined for a list of what anybody owns. */
  readonly owner: ObjectId | undefined;
}

class Lists {
  readonly #parts: ListParts;
  readonly #resolver: Resolver;

  constructor(parts: ListParts) {
    this.#parts = parts;
    this.#resolver = new Resolver(parts.fields, parts.openApi);
  }

  async answer(request: TypeRequest): Promise<void> {
    const { type, exchange, access, signal } = request;
    if (!type.verbs.includes("list")) throw notListable(type.id);
    const query = reading(() => parseListQuery(exchange.query));
    const slices = new Slices(this.#parts.clock, signal);
    const format = formats[formatNameOf(exchange.query, exchange.request.headers)];
    const shape = parseShape(exchange.query);
    const owner = query.owner && ownerOf(query.owner, access, this.#parts.types);
    const asked = { request, query, reach: access.listed(type.kind), owner, slices, format, shape };
    if (isNothing(asked.reach, type.kind.scope)) return this.#nothing(asked);
    using collection = await this.#parts.collections.use(type, signal);
    await this.#reached(collection, query, signal);
    await writeList(this.#parts, asked, collection, await this.#find(asked, collection));
  }

  /** No cache is made for somebody who can see nothing of it. */
  async #nothing(asked: Asked): Promise<void> {
    await this.#resolve(asked, undefined);
    const found = { revision: "", total: 0, limit: undefined, next: undefined };
    const answer = { envelope: envelope(asked.request, found), keys: [], summary: [] };
    await writeList(this.#parts, asked, undefined, answer);
  }

  #resolve(
    { request, query, reach, slices }: Asked,
    collection: Collection | undefined,
  ): Promise<Resolved> {
    const { access } = request;
    const type = collection?.type ?? request.type; // may have changed meanwhile
    return this.#resolver.resolve(query, { type, access, reach, collection, slices });
  }

  /** Waits a little for what others have seen already. */
  async #reached({ cache }: Collection, query: ListQuery, signal: AbortSignal): Promise<void> {
    const wait = { timeout: revisionWait, signal };
    const isThere = async (revision: string | undefined): Promise<boolean> =>
      revision === undefined || (await cache.waitFor(String(BigInt(revision)), wait));
    if (!(await isThere(query.revision))) throw unknownRevision();
    if (!(await isThere(query.cursor?.revision))) throw goneCursor();
  }

  async #find(asked: Asked, collection: Collection): Promise<Answer> {
    const { query, slices } = asked;
    const { fieldOf, fields } = await this.#resolve(asked, collection);
    const { access, signal } = asked.request;
    const { cache } = collection;
    const joins = await joinsOf(fields, { access, collection, signal }, this.#parts);
    const groups = [...query.filters, ...query.fieldSelector.map((each) => [each])];
    const filters = reading(() => filtersOf(groups, fieldOf, joins));
    const sort = sortOf(query.sort, fieldOf);
    const counted = query.summary?.fields.map(fieldOf) ?? [];
    const sources = [...filters.sources, ...sort.sources, ...counted.map(({ texts }) => texts)];
    await need(collection, sources);
    const rows = {
      filters: [...(await this.#scope(asked)), ...filters.what],
      sort: sort.what,
      compare: joinedOrder(query.sort, fieldOf, joins, cache),
    };
    await prefilter(cache, rows, slices);
    const page = await pageOf(cache, query, rows);
    await slices.rest();
    const read: ReadValue = (key, field) =>
      joins.get(field)?.valueOf(key) ?? String(cache.valueOf(key, field.texts.column) ?? "");
    return this.#answerOf(asked, read, counted, page);
  }

  async #answerOf(
    { request, query, slices }: Asked,
    read: ReadValue,
    counted: readonly Field[],
    page: Page,
  ): Promise<Answer> {
    const { only = false, namespaced = false } = query.summary ?? {};
    const summary =
      counted.length === 0 ? [] : await summaryOf(read, page.keys, counted, namespaced, slices);
    const shown = only ? { ...page, keys: [], next: undefined } : page;
    return { envelope: envelope(request, shown), keys: shown.keys, summary };
  }

  /** What limits a list whatever its filters are. */
  async #scope({ request, query, reach, owner, slices }: Asked): Promise<readonly Filter[]> {
    const { type, namespace, signal } = request;
    const { labelSelector: labels, places } = query;
    const scope: Filter[] = [];
    if (reach !== "all") scope.push({ within: reach });
    if (namespace !== undefined)
      scope.push({ column: "metadata.namespace", op: "=", value: namespace });
    if (labels !== undefined) scope.push({ labels });
    if (places !== undefined) scope.push(await placesFilter(places, type, this.#parts, signal));
    if (owner !== undefined) {
      const { response } = request.exchange;
      scope.push(await ownedBy({ ...request, owner, response, slices }, this.#parts));
    }
    return [...scope, ...ownOnly(request)];
  }
}

/** Tokens and kubeconfigs are shown to those whose they are, and to those who may list everything (steve: pkg/stores/sqlproxy/proxy_store.go, ListByPartitions). */
function ownOnly({ type, access, exchange }: TypeRequest): readonly Filter[] {
  const { group, kind } = type.kind;
  if (group !== "ext.cattle.io" || (kind !== "Token" && kind !== "Kubeconfig")) return [];
  if (access.may("list", { group: "*", plural: "*" })) return [];
  const value = exchange.login.caller.username;
  return [{ column: "metadata.labels[cattle.io/user-id]", op: "=", value }];
}
