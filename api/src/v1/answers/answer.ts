/** Whole answers, in the form that the caller wants, packed for those who take that. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { systemClock } from "kopf-ts";
import type { Exchange } from "../../stage.ts";
import { Slices } from "../slices.ts";
import { formOf } from "./form.ts";
import { formats } from "./formats.ts";
import { takesGzip } from "./gzip-accepted.ts";
import { Reply } from "./reply.ts";
import { toYaml } from "./yaml-text.ts";

const compress = promisify(gzip);
/** Smaller answers are not worth packing. */
const worthPacking = 1_400;

/** An answer of JSON that is kept in both forms. */
export interface KeptAnswer {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** What is written of a collection. */
export interface Collected {
  /** Without `data`. */
  readonly envelope: object;
  /** The JSON of each; undefined where there is nothing yet, so that others have their turn. */
  readonly items: Iterable<Written | undefined | Promise<Written | undefined>>;
}

/** JSON as a text or in parts. */
type Written = string | readonly Uint8Array[];

/** Sends one object, of which this is the JSON. */
export async function sendObject(
  { request, response, query }: Exchange,
  json: Buffer | string,
  status = 200,
): Promise<void> {
  const form = formOf({ query, request });
  const plain = typeof json === "string" ? Buffer.from(json) : json;
  const body = form === "yaml" ? toYaml(plain) : plain;
  const packs = body.length >= worthPacking && takesGzip(request);
  const sent = packs ? await compress(body, { level: 1 }) : body;
  response.writeHead(status, headersOf(sent, packs, form));
  response.end(sent);
}

/** Sends a collection with status 200, an item at a time, as fast as the caller reads. Throws before anything is sent, or ends the connection. */
export async function sendCollection(
  { request, response, query, signal }: Exchange,
  { envelope, items }: Collected,
): Promise<void> {
  const format = formats[formOf({ query, request })];
  const slices = new Slices(systemClock, signal);
  using reply = new Reply(request, response, signal);
  response.setHeader("Content-Type", format.contentType);
  reply.text(format.begin(envelope));
  let written = 0;
  for (const made of items) {
    const item = made instanceof Promise ? await made : made;
    const parts = typeof item === "string" ? [Buffer.from(item)] : item;
    if (parts !== undefined) format.item(reply, parts, written++ === 0);
    if (reply.isFull) await reply.flush();
    await slices.rest();
  }
  for (const text of format.end([], written === 0)) reply.text(text);
  await reply.end();
}

/** Items of a collection that are objects in memory. */
export function* jsonOf(items: Iterable<object>): Generator<string, void> {
  for (const item of items) yield JSON.stringify(item);
}

/** Sends an answer that is kept, as the JSON that it is. */
export function sendKept({ request, response }: Exchange, { plain, gzipped }: KeptAnswer): void {
  const packs = takesGzip(request);
  const sent = packs ? gzipped : plain;
  response.writeHead(200, headersOf(sent, packs, "json"));
  response.end(sent);
}

function headersOf(
  sent: Buffer,
  packs: boolean,
  form: string,
): Readonly<Record<string, string | number>> {
  return {
    ...{ "Content-Type": `application/${form}`, "Content-Length": sent.length },
    ...{ Vary: "Accept-Encoding", ...(packs && { "Content-Encoding": "gzip" }) },
  };
}
