/** Answers that are written piece by piece: small ones in one go, large ones as fast as the caller reads. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";

/** Bytes that are kept before the first are sent; a page of a list fits. */
const room = 1024 * 1024;
/** Smaller bodies are not worth compressing. */
const worthCompressing = 1400;
/** The fastest level: a page of objects still shrinks to a tenth. */
const level = 1;

const compress = promisify(gzip);

/**
 * The body of an answer with status 200. Nothing is sent before `flush` or `end`, so that until then an error can still be told. Compressed with gzip when the caller
 * takes that. Callers that send `If-None-Match` are told an ETag of the body, and 304 when they have it, unless it is so large that it was flushed.
 */
export class Reply {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #gzip: boolean;
  #parts: Uint8Array[] = [];
  #size = 0;
  /** Where bytes go once something was flushed. */
  #stream: Writable | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, signal: AbortSignal) {
    this.#request = request;
    this.#response = response;
    this.#signal = signal;
    this.#gzip = takesGzip(request.headers["accept-encoding"]);
  }

  /** Adds to the body. The bytes must not change. */
  add(...parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }

  /** Adds a text. */
  text(text: string): void {
    this.add(Buffer.from(text));
  }

  /** Whether so much is waiting that it has to be flushed. */
  get isFull(): boolean {
    return this.#size >= room;
  }

  /** Sends what is waiting; resolves when the caller can take more. Rejects with the signal's reason when they are gone. */
  async flush(): Promise<void> {
    this.#stream ??= this.#begin();
    const chunk = this.#take();
    if (chunk.length === 0 || this.#stream.write(chunk)) return;
    await once(this.#stream, "drain", { signal: this.#signal });
  }

  /** Sends the rest. */
  async end(): Promise<void> {
    if (this.#stream !== undefined) {
      this.#stream.end(this.#take());
      return;
    }
    await this.#sendWhole(this.#take());
  }

  #take(): Buffer {
    const chunk = Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return chunk;
  }

  #begin(): Writable {
    this.#response.setHeader("Vary", "Accept-Encoding");
    if (!this.#gzip) return this.#response;
    this.#response.setHeader("Content-Encoding", "gzip");
    const stream = createGzip({ level });
    stream.pipe(this.#response);
    const stop = (): void => void stream.destroy();
    this.#response.once("close", stop);
    stream.on("error", stop);
    return stream;
  }

  async #sendWhole(body: Buffer): Promise<void> {
    const response = this.#response;
    response.setHeader("Vary", "Accept-Encoding");
    if (this.#isKnown(body)) {
      response.writeHead(304).end();
      return;
    }
    const isSmaller = this.#gzip && body.length >= worthCompressing;
    const sent = isSmaller ? await compress(body, { level }) : body;
    if (isSmaller) response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Content-Length", sent.length);
    response.end(sent);
  }

  /** Whether the caller has the body already. */
  #isKnown(body: Buffer): boolean {
    const asked = this.#request.headers["if-none-match"];
    if (asked === undefined) return false;
    const tag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
    this.#response.setHeader("ETag", tag);
    return asked.split(",").some((each) => each.trim().replace(/^(?!W\/)/, "W/") === tag);
  }
}

/** Whether an Accept-Encoding allows gzip. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  const offers = String(accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const named = offers.find(([name]) => name === "gzip") ?? offers.find(([name]) => name === "*");
  return named !== undefined && !/^q=0(\.0*)?$/.test(named[1] ?? "");
}
