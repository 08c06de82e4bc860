/** Answers that are written piece by piece: small ones in one go, large ones as fast as the caller reads. */

import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Deflated, GzipBody } from "../pieces/gzip.ts";
import { Body, room, tellEncoding, writeChunks, writeEnd } from "./body.ts";
import { type Chunk, Chunks } from "./chunks.ts";
import { takesGzip } from "./gzip-accepted.ts";
import type { Run } from "./run.ts";

/** Smaller bodies are not worth compressing. */
const worthCompressing = 1400;

/**
 * The body of an answer with status 200. Nothing is sent before `flush` or `end`, so that until then an error can still be told. Compressed with gzip when the caller
 * takes that. Callers that send `If-None-Match` are told an ETag of the body, and 304 when they have it or send `*`, unless it is so large that it was flushed.
 */
export class Reply implements Disposable {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  /** Tags of bodies that the caller has. */
  readonly #known: string | undefined;
  readonly #hash: Hash | undefined;
  readonly #gzip: GzipBody | undefined;
  /** What is to be sent as it is. */
  readonly #chunks = new Chunks();
  #isBegun = false;
  #length = 0;
  #kept: Chunk[] | undefined;
  #run: Run | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    this.#known = request.headers["if-none-match"];
    this.#hash = this.#known === undefined ? undefined : createHash("sha256");
    this.#gzip = takesGzip(request) ? new GzipBody() : undefined;
  }

  /** Whether parts may be deflated already: where nobody needs the bytes themselves. */
  get packs(): boolean {
    return this.#gzip !== undefined && this.#hash === undefined;
  }

  /** Whether it is deflated, unless it turns out to be short. */
  get isPacked(): boolean {
    return this.#gzip !== undefined;
  }

  /** Adds to the body. The bytes must not change. */
  add(part: Uint8Array): void {
    this.#add(part);
  }

  /** Adds what is deflated already; only where `packs`. */
  addDeflated(part: Deflated): void {
    this.#gzip?.addDeflated(part);
  }

  /** Adds what was put together before, without copying it; at most once, and only where nobody needs the bytes themselves. It has to be held until the end. */
  addRun(run: Run): void {
    this.#run = run;
    if (run.deflated === undefined) for (const chunk of run.chunks) this.#chunks.insert(chunk);
    else this.#gzip?.addDeflated(run.deflated);
  }

  /** Adds a text. */
  text(text: string): void {
    this.#add(text);
  }

  /** So many bytes are to come, as they will be sent. */
  expect(bytes: number): void {
    if (this.#gzip === undefined) this.#chunks.expect(bytes);
  }

  /** Holds all that is sent from here on, for `end`, until it is disposed. */
  keep(): void {
    this.#kept = [];
  }

  /** Of what was sent, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Whether so much is waiting that it has to be flushed. */
  get isFull(): boolean {
    return (this.#gzip?.waiting ?? 0) + this.#chunks.size >= room;
  }

  /** Sends what is waiting; resolves when the caller can take more. Rejects when they are gone. */
  async flush(): Promise<void> {
    this.#begin(this.#gzip);
    if (this.#gzip !== undefined) this.#copy(await this.#gzip.take());
    this.#signal.throwIfAborted();
    await this.#send(this.#take(), writeChunks);
  }

  /** Sends the rest. What was kept is shown to `take`, which holds the body if it is to be sent again. */
  async end(take?: (body: Body) => void): Promise<void> {
    if (!this.#isBegun && this.#isKnown()) {
      this.#response.writeHead(304).end();
      return;
    }
    const plain = this.#tooShort;
    const gzip = plain === undefined ? this.#gzip : undefined;
    this.#copy(plain ?? (await gzip?.end()) ?? []);
    if (!this.#isBegun) this.#response.setHeader("Content-Length", this.#chunks.size);
    this.#begin(gzip);
    const chunks = this.#take();
    if (this.#kept !== undefined) take?.(new Body(this.#kept, gzip !== undefined));
    await this.#send(chunks, writeEnd);
  }

  /** Lets go of what was kept. */
  [Symbol.dispose](): void {
    for (const chunk of this.#kept ?? []) chunk.release();
    this.#kept = undefined;
  }

  async #send(chunks: readonly Chunk[], write: typeof writeChunks): Promise<void> {
    try {
      await write(this.#response, chunks, this.#signal);
    } finally {
      for (const chunk of chunks) chunk.release();
    }
  }

  #take(): readonly Chunk[] {
    this.#length += this.#chunks.size;
    const chunks = this.#chunks.take();
    for (const chunk of this.#kept === undefined ? [] : chunks) {
      chunk.hold();
      this.#kept?.push(chunk);
    }
    return chunks;
  }

  #add(part: Uint8Array | string): void {
    if (!this.#isBegun) this.#hash?.update(part);
    if (this.#gzip === undefined) this.#chunks.add(part);
    else this.#gzip.add(typeof part === "string" ? Buffer.from(part) : part);
  }

  /** What waits to be packed, when it is all there is and not worth that. */
  get #tooShort(): readonly Uint8Array[] | undefined {
    const plain = this.#isBegun ? undefined : this.#gzip?.plain;
    return (this.#gzip?.waiting ?? 0) < worthCompressing ? plain : undefined;
  }

  /** Parts of a body in gzip; those of a run are in chunks already. */
  #copy(parts: readonly Uint8Array[]): void {
    const { deflated, chunks = [] } = this.#run ?? {};
    this.#run = undefined;
    const first = deflated?.blocks[0];
    const from = first === undefined ? parts.length : parts.indexOf(first);
    this.#chunks.addAll(parts.slice(0, from));
    if (from === parts.length) return;
    for (const chunk of chunks) this.#chunks.insert(chunk);
    this.#chunks.addAll(parts.slice(from + chunks.length));
  }

  #begin(gzip: GzipBody | undefined): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    tellEncoding(this.#response, gzip !== undefined);
  }

  /** Whether the caller has the body already; tells its tag. */
  #isKnown(): boolean {
    if (this.#hash === undefined || this.#known === undefined) return false;
    const tag = `W/"${this.#hash.digest("base64url").slice(0, 27)}"`;
    this.#response.setHeader("Vary", "Accept-Encoding");
    this.#response.setHeader("ETag", tag);
    if (this.#known.trim() === "*") return true;
    return this.#known.split(",").some((each) => each.trim().replace(/^(?!W\/)/, "W/") === tag);
  }
}
