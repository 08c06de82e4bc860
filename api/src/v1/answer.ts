/** Whole answers of JSON, packed for those who take that. */

import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Exchange } from "../stage.ts";

const compress = promisify(gzip);
/** Smaller answers are not worth packing. */
const worthPacking = 1_400;

/** An answer that is kept in both forms. */
export interface KeptAnswer {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** Sends JSON with status 200. */
export async function sendJson({ request, response }: Exchange, body: string): Promise<void> {
  const plain = Buffer.from(body);
  const packs = plain.length >= worthPacking && takesGzip(request);
  const sent = packs ? await compress(plain, { level: 1 }) : plain;
  response.writeHead(200, headersOf(sent, packs));
  response.end(sent);
}

/** Sends an answer that is kept, in the form that the caller takes. */
export function sendKept({ request, response }: Exchange, { plain, gzipped }: KeptAnswer): void {
  const packs = takesGzip(request);
  const sent = packs ? gzipped : plain;
  response.writeHead(200, headersOf(sent, packs));
  response.end(sent);
}

/** Whether the caller takes gzip (RFC 9110, 12.5.3). */
export function takesGzip({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const offers = String(headers["accept-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const named = offers.find(([name]) => name === "gzip") ?? offers.find(([name]) => name === "*");
  return named !== undefined && !/^q=0(\.0*)?$/.test(named[1] ?? "");
}

function headersOf(sent: Buffer, packs: boolean): Readonly<Record<string, string | number>> {
  return {
    ...{ "Content-Type": "application/json", "Content-Length": sent.length },
    ...{ Vary: "Accept-Encoding", ...(packs && { "Content-Encoding": "gzip" }) },
  };
}
