/** Answers that are written piece by piece: small ones in one go, large ones as fast as the caller reads. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { takesGzip } from "../answer.ts";
import { type Deflated, GzipBody } from "../pieces/gzip.ts";

/** Bytes that are kept before the first are sent; a page of a list fits. */
const room = 1024 * 1024;
/** Smaller bodies are not worth compressing. */
const worthCompressing = 1400;

/**
 * The body of an answer with status 200. Nothing is sent before `flush` or `end`, so that until then an error can still be told. Compressed with gzip when the caller
 * takes that. Callers that send `If-None-Match` are told an ETag of the body, and 304 when they have it, unless it is so large that it was flushed.
 */
export class Reply {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  /** Tags of bodies that the caller has. */
  readonly #known: string | undefined;
  readonly #gzip: GzipBody | undefined;
  #parts: (Uint8Array | Deflated)[] = [];
  #size = 0;
  #isBegun = false;
  #hasDeflated = false;

  constructor(request: IncomingMessage, response: ServerResponse, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    this.#known = request.headers["if-none-match"];
    this.#gzip = takesGzip(request) ? new GzipBody() : undefined;
  }

  /** Whether parts may be deflated already: where nobody needs the bytes themselves. */
  get packs(): boolean {
    return this.#gzip !== undefined && this.#known === undefined;
  }

  /** Adds to the body. The bytes must not change. */
  add(...parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }

  /** Adds what is deflated already; only where `packs`. */
  addDeflated(part: Deflated): void {
    this.#parts.push(part);
    this.#size += part.length;
    this.#hasDeflated = true;
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
    this.#begin(this.#gzip);
    const chunk = this.#gzip === undefined ? this.#take() : await this.#fill(this.#gzip).take();
    this.#signal.throwIfAborted();
    if (chunk.length === 0 || this.#response.write(chunk)) return;
    await once(this.#response, "drain", { signal: this.#signal });
  }

  /** Sends the rest. */
  async end(): Promise<void> {
    if (!this.#isBegun) return this.#sendWhole();
    this.#response.end(
      this.#gzip === undefined ? this.#take() : await this.#fill(this.#gzip).end(),
    );
  }

  #take(): Buffer {
    const chunk = Buffer.concat(this.#parts.filter((part) => part instanceof Uint8Array));
    this.#forget();
    return chunk;
  }

  #fill(body: GzipBody): GzipBody {
    for (const part of this.#parts) {
      if (part instanceof Uint8Array) body.add(part);
      else body.addDeflated(part);
    }
    this.#forget();
    return body;
  }

  #forget(): void {
    this.#parts = [];
    this.#size = 0;
  }

  #begin(gzip: GzipBody | undefined): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#response.setHeader("Vary", "Accept-Encoding");
    if (gzip !== undefined) this.#response.setHeader("Content-Encoding", "gzip");
  }

  async #sendWhole(): Promise<void> {
    const isSmaller = this.#hasDeflated || this.#size >= worthCompressing;
    const gzip = isSmaller ? this.#gzip : undefined;
    this.#begin(gzip);
    if (this.#known !== undefined && this.#isKnown(this.#known)) {
      this.#response.removeHeader("Content-Encoding");
      this.#response.writeHead(304).end();
      return;
    }
    const sent = gzip === undefined ? this.#take() : await this.#fill(gzip).end();
    this.#response.setHeader("Content-Length", sent.length);
    this.#response.end(sent);
  }

  /** Whether the caller has the body already. */
  #isKnown(known: string): boolean {
    const hash = createHash("sha256");
    for (const part of this.#parts) if (part instanceof Uint8Array) hash.update(part);
    const tag = `W/"${hash.digest("base64url").slice(0, 27)}"`;
    this.#response.setHeader("ETag", tag);
    return known.split(",").some((each) => each.trim().replace(/^(?!W\/)/, "W/") === tag);
  }
}
