/** Lists as bytes. */

import type { Clock } from "kopf-ts";
import { isNothing } from "../access/access.ts";
import type { Format, SummaryEntry } from "../answers/formats.ts";
import type { Freshness } from "../answers/kept-answers.ts";
import type { Lane } from "../answers/lane.ts";
import { Reply } from "../answers/reply.ts";
import type { ResponseCache, ResponseKey } from "../answers/response-cache.ts";
import type { Run } from "../answers/run.ts";
import type { Collection, Collections } from "../collections/collection.ts";
import { associatedType } from "../items/associated.ts";
import type { Items, Shape } from "../items/item.ts";
import type { TypeRequest } from "../request.ts";
import type { Slices } from "../slices.ts";
import type { Types } from "../types/resource-type.ts";
import type { ItemLengths, Written } from "./item-lengths.ts";
import { ListItems } from "./list-items.ts";
import type { OtherTypes } from "./other-types.ts";
import type { ListRequest } from "./response-key.ts";
import type { Runs } from "./runs.ts";

/** What lists are written with. */
export interface WriteParts {
  readonly types: Types;
  readonly collections: Collections;
  readonly items: Items;
  readonly responses: ResponseCache;
  readonly runs: Runs;
  readonly lengths: ItemLengths;
  readonly lane: Lane;
  readonly clock: Clock;
}

/** How a list is wanted. */
export interface Wanted {
  readonly request: ListRequest;
  readonly slices: Slices;
  readonly format: Format;
  readonly shape: Shape;
  /** Undefined where it is not to be sent again. */
  readonly key?: ResponseKey | undefined;
}

/** What a list found. */
export interface Answer {
  readonly envelope: object;
  readonly keys: readonly string[];
  readonly summary: readonly SummaryEntry[];
  /** What it was found by, beside the type itself. */
  readonly others: OtherTypes;
}

/** Writes the items that were found, as fast as the caller reads. Throws before anything is sent, or ends the connection. */
export async function writeList(
  parts: WriteParts,
  wanted: Wanted,
  collection: Collection | undefined,
  answer: Answer,
): Promise<void> {
  const { request, slices, format, shape } = wanted;
  const { envelope, keys, summary, others } = answer;
  const { access, base, exchange, signal } = request;
  const type = collection?.type ?? request.type;
  using associated = await childrenOf(parts, request, shape);
  using reply = new Reply(exchange.request, exchange.response, signal);
  exchange.response.setHeader("Content-Type", format.contentType);
  const expected = prepareReply(reply, parts, wanted, collection, keys.length);
  if (await parts.lane.enter(exchange.response, expected, signal)) slices.begin();
  collection?.gone.throwIfAborted();
  const now = parts.clock.now();
  const makeWriter = () => parts.items.writer({ type, access, base, shape, associated, now });
  const packs = reply.packs && format.joinsItems;
  const made = { makeWriter, format, packs, now, slices, signal };
  const items = new ListItems({ collection, keys, ...made });
  const runKey = wanted.key && parts.runs.keyOf(wanted, items);
  using run = runKey && (await parts.runs.runFor(runKey, items, reply.isPacked));
  const written = await writeItems(reply, format.begin(envelope), run ?? items);
  await writeRest(reply, format.end(summary, written === 0), slices);
  await reply.end((body) => {
    if (wanted.key === undefined) return;
    const fresh = freshness(now, run?.until ?? items.until, others);
    parts.responses.keep(wanted.key, body, fresh, run);
  });
  if (run === undefined && runKey !== undefined) parts.runs.note(runKey, reply.length);
  note(reply, parts, wanted, collection, { items: written, summaries: summary.length });
}

/** Behind what a list begins with. Returns how many. */
async function writeItems(
  reply: Reply,
  beginning: string,
  items: Run | ListItems,
): Promise<number> {
  if (items instanceof ListItems) {
    reply.text(beginning);
    return items.writeTo(reply);
  }
  reply.expect(beginning.length); // a run stands in chunks of its own
  reply.text(beginning);
  reply.addRun(items);
  return items.items;
}

/** Apart, for what is kept with an answer must not hold the request that it was made for. */
function freshness(from: number, until: number, others: OtherTypes): Freshness {
  return { from, until, isStill: () => others.areSame };
}

/** An answer that was sent before has about the same length, and is worth keeping; items of one type have about the same. Returns how many bytes are expected. */
function prepareReply(
  reply: Reply,
  { responses, lengths }: WriteParts,
  { shape, key }: Wanted,
  collection: Collection | undefined,
  items: number,
): number {
  const before = key && responses.lengthOf(key);
  const alike = reply.isPacked ? undefined : collection;
  const expected = before ?? (alike && lengths.expected(alike.cache, shape, items)) ?? 0;
  reply.expect(expected);
  if (key !== undefined && responses.wants(key)) reply.keep();
  return expected;
}

/** What was sent tells what to expect of the next one. */
function note(
  reply: Reply,
  { responses, lengths }: WriteParts,
  { shape, key }: Wanted,
  collection: Collection | undefined,
  written: Pick<Written, "items" | "summaries">,
): void {
  const { length: bytes, isPacked } = reply;
  if (key !== undefined) responses.note(key, bytes);
  if (collection !== undefined)
    lengths.note(collection.cache, shape, { ...written, bytes, isPacked });
}

async function writeRest(reply: Reply, texts: Iterable<string>, slices: Slices): Promise<void> {
  for (const text of texts) {
    reply.text(text);
    if (reply.isFull) await reply.flush();
    await slices.rest();
  }
}

/** The children of what is listed, where the caller wants to know how they are and may list any. */
async function childrenOf(
  { types, collections }: WriteParts,
  { type, access, signal }: TypeRequest,
  shape: Shape,
): Promise<Collection | undefined> {
  const child = shape.associatedData ? associatedType(type, types) : undefined;
  if (child === undefined || isNothing(access.listed(child.kind), child.kind.scope))
    return undefined;
  return collections.use(child, signal);
}
