/** Lists of one type: GET of a collection, answered from its cache (steve: pkg/stores/sqlpartition, pkg/stores/sqlproxy). */

import { Repeated } from "../../repeated.ts";
import { isNothing } from "../access/access.ts";
import { wholly } from "../access/told-rights.ts";
import type { Body } from "../answers/body.ts";
import { formOf } from "../answers/form.ts";
import { formats } from "../answers/formats.ts";
import { Lane } from "../answers/lane.ts";
import type { Collection } from "../collections/collection.ts";
import type { Shape } from "../items/item.ts";
import { parseShape } from "../items/shape.ts";
import { notListable } from "../problem.ts";
import { type ListQuery, parseListQuery } from "../query/list-query.ts";
import type { TypeHandler, TypeRequest } from "../request.ts";
import { Slices } from "../slices.ts";
import { envelope } from "./envelope.ts";
import { Finder, type FindParts, type FoundRows, type Question } from "./find.ts";
import { ItemLengths } from "./item-lengths.ts";
import { OtherTypes } from "./other-types.ts";
import { ownerOf } from "./owners.ts";
import { type Page, pageOf } from "./pages.ts";
import { goneCursor, reading, unknownRevision } from "./problems.ts";
import { hasReached } from "./reached.ts";
import { type ListRequest, responseKeyOf } from "./response-key.ts";
import { Runs } from "./runs.ts";
import { summaryOf } from "./summaries.ts";
import { type Answer, type Wanted, type WriteParts, writeList } from "./write.ts";

/** What lists are made from. */
export interface ListParts extends Omit<WriteParts, "runs" | "lengths" | "lane">, FindParts {}

/**
 * Answers GET of a collection. Callers without any right to list get an empty list, not an error. Rows that a caller may not see influence nothing: not counts, pages,
 * summaries, nor which fields there are. Throws Problems: 405 for types that cannot be listed, 422 for parameters, 400 and 410 for revisions that do not come, 503 while
 * the cluster does not answer. Work is done in slices of 5 ms, and large answers are written as fast as the caller reads.
 */
export function listHandler(parts: ListParts): TypeHandler {
  const lists = new Lists(parts);
  return (request) => lists.answer(request);
}

/** What a URL asks for. */
interface Understood {
  readonly query: ListQuery;
  readonly shape: Shape;
  /** Whether an answer may be sent again. */
  readonly isRepeatable: boolean;
}

/** One list, as far as it was understood. */
interface Asked extends Wanted, Pick<Understood, "isRepeatable"> {
  readonly request: ListRequest;
  readonly question: Question;
}

class Lists {
  readonly #parts: ListParts & WriteParts;
  readonly #finder: Finder;
  /** By URL, from which the parameters follow. */
  readonly #understood = new Repeated<Understood>();

  constructor(parts: ListParts) {
    const runs = new Runs(parts.responses, parts);
    this.#parts = { ...parts, runs, lengths: new ItemLengths(), lane: new Lane() };
    this.#finder = new Finder(parts);
  }

  async answer(request: TypeRequest): Promise<void> {
    const { type, signal } = request;
    const asked = this.#asked(request);
    const { question } = asked;
    if (isNothing(question.reach, type.kind.scope)) return this.#nothing(asked);
    using collection = await this.#parts.collections.use(type, signal);
    const key = asked.isRepeatable
      ? responseKeyOf(this.#parts, asked.request, collection)
      : undefined;
    const body = key && this.#parts.responses.find(key);
    if (body !== undefined) return this.#sendAgain(asked, body);
    await this.#reached(collection, question.query, signal);
    const answer = await this.#find(asked, collection);
    await writeList(this.#parts, { ...asked, key }, collection, answer);
  }

  /** What was sent before, while nothing has changed since; it is held from here on, and needs its collection no more. */
  #sendAgain({ request, format }: Asked, body: Body): Promise<void> {
    const { response } = request.exchange;
    response.setHeader("Content-Type", format.contentType);
    return body.send(response, request.signal, this.#parts.lane);
  }

  /** What lists ask for that are made anew each time, others need not tell. */
  #asked(request: TypeRequest): Asked {
    const { type, exchange, signal } = request;
    if (!type.verbs.includes("list")) throw notListable(type.id);
    const { query, shape, isRepeatable } = this.#understood.of(exchange.request.url ?? "", () =>
      understood(exchange.query),
    );
    const slices = new Slices(this.#parts.clock, signal);
    const format = formats[formOf(exchange)];
    const access = isRepeatable
      ? this.#parts.items.rightsFor({ type, access: request.access, shape })
      : wholly(request.access);
    const question: Question = {
      ...{ type, access, query, slices, signal, namespace: request.namespace },
      username: exchange.login.caller.username,
      reach: access.listed(type.kind),
      owner: query.owner && ownerOf(query.owner, access, this.#parts.types),
      warn: (text) => exchange.response.appendHeader("Warning", `299 - ${text}`),
    };
    return { request: { ...request, access }, question, slices, format, shape, isRepeatable };
  }

  /** No cache is made for somebody who can see nothing of it. */
  async #nothing(asked: Asked): Promise<void> {
    await this.#finder.understand(asked.question, undefined);
    const found = { revision: "", total: 0, limit: undefined, next: undefined };
    const answer = {
      ...{ envelope: envelope(asked.request, found), keys: [], summary: [] },
      others: new OtherTypes(),
    };
    await writeList(this.#parts, asked, undefined, answer);
  }

  /** Waits a little for what others have seen already. */
  async #reached({ cache }: Collection, query: ListQuery, signal: AbortSignal): Promise<void> {
    if (!(await hasReached(cache, query.revision, signal))) throw unknownRevision();
    if (!(await hasReached(cache, query.cursor?.revision, signal))) throw goneCursor();
  }

  async #find(asked: Asked, collection: Collection): Promise<Answer> {
    const found = await this.#finder.find(asked.question, collection);
    const page = await pageOf(collection.cache, asked.question.query, found.rows);
    await asked.slices.rest();
    return this.#answerOf(asked, found, page);
  }

  async #answerOf(
    { request, question: { query }, slices }: Asked,
    { read, counted, others }: FoundRows,
    page: Page,
  ): Promise<Answer> {
    const { only = false, namespaced = false } = query.summary ?? {};
    const summary =
      counted.length === 0 ? [] : await summaryOf(read, page.keys, counted, namespaced, slices);
    const shown = only ? { ...page, keys: [], next: undefined } : page;
    return { envelope: envelope(request, shown), keys: shown.keys, summary, others };
  }
}

function understood(parameters: URLSearchParams): Understood {
  const query = reading(() => parseListQuery(parameters));
  const shape = parseShape(parameters);
  return { query, shape, isRepeatable: tellsOwnType(query, shape) };
}

/** Whether a list tells of nothing but its own type, and others that are noted. */
function tellsOwnType(query: ListQuery, shape: Shape): boolean {
  return query.owner === undefined && !shape.associatedData && !shape.includeHelmData;
}
