/** Lists as bytes. */

import type { Clock } from "kopf-ts";
import { isNothing } from "../access/access.ts";
import type { Format, SummaryEntry } from "../answers/formats.ts";
import type { Lane } from "../answers/lane.ts";
import { Reply } from "../answers/reply.ts";
import type { Freshness, ResponseCache, ResponseKey } from "../answers/response-cache.ts";
import type { Collection, Collections } from "../collections/collection.ts";
import { associatedType } from "../items/associated.ts";
import {
  type Items,
  type ItemWriter,
  isPacked,
  type PackedItem,
  type Shape,
} from "../items/item.ts";
import { asFirst } from "../items/packed.ts";
import type { TypeRequest } from "../request.ts";
import type { Slices } from "../slices.ts";
import type { Types } from "../types/resource-type.ts";
import type { ItemLengths, Written } from "./item-lengths.ts";
import type { OtherTypes } from "./other-types.ts";

/** What lists are written with. */
export interface WriteParts {
  readonly types: Types;
  readonly collections: Collections;
  readonly items: Items;
  readonly responses: ResponseCache;
  readonly lengths: ItemLengths;
  readonly lane: Lane;
  readonly clock: Clock;
}

/** How a list is wanted. */
export interface Wanted {
  readonly request: TypeRequest;
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
  const writer = parts.items.writer({ type, access, base, shape, associated, now });
  reply.text(format.begin(envelope));
  const packs = reply.packs && format.joinsItems;
  let written = 0;
  for (const key of keys) {
    if (writer.prepare !== undefined) await prepareItem(writer, collection, key, signal);
    const item = collection && itemOf(writer, collection, key, packs);
    if (item !== undefined) addItem(reply, format, item, written++ === 0);
    if (!reply.isFull && !slices.isOver) continue;
    if (reply.isFull) await reply.flush();
    await slices.rest();
    collection?.gone.throwIfAborted();
  }
  await writeRest(reply, format.end(summary, written === 0), slices);
  await reply.end((body) => {
    if (wanted.key === undefined || collection === undefined) return;
    const fresh = freshness(now, writer.untilOf(collection, keys), others);
    parts.responses.keep(wanted.key, body, fresh);
  });
  note(reply, parts, wanted, collection, { items: written, summaries: summary.length });
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

async function prepareItem(
  writer: ItemWriter,
  collection: Collection | undefined,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  await writer.prepare?.(collection?.cache.raw(key), signal);
  collection?.gone.throwIfAborted();
}

function itemOf(
  writer: ItemWriter,
  collection: Collection,
  key: string,
  packs: boolean,
): PackedItem | undefined {
  return packs ? writer.packedOfKey(collection, key) : writer.ofKey(collection, key);
}

function addItem(reply: Reply, format: Format, item: PackedItem, isFirst: boolean): void {
  if (isPacked(item)) reply.addDeflated(isFirst ? asFirst(item) : item);
  else format.item(reply, item, isFirst);
}
