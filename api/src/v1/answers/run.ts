/** Items one behind the other, as they stand in answers. */

import { type Deflated, GzipBody } from "../pieces/gzip.ts";
import { type Chunk, Chunks } from "./chunks.ts";
import type { Sink } from "./formats.ts";
import { Held } from "./held.ts";

/** What a run is beside its bytes. */
interface RunFacts {
  /** How many items. */
  readonly items: number;
  /** What its bytes are for a body in gzip; undefined for one as it is. */
  readonly deflated?: Deflated | undefined;
  /** As far as ages go it is right `from` and before `until`, in milliseconds since the Unix epoch. */
  readonly from: number;
  readonly until: number;
  /** Where in the bytes the metadata.fields of each item are; undefined where they cannot be told apart. */
  readonly fields?: readonly Place[] | undefined;
}

/** Of bytes. */
interface Place {
  readonly at: number;
  readonly length: number;
}

/** Items of a list, in a form, with what stands between them: what is around them may be another one. */
export class Run extends Held implements Disposable {
  readonly items: number;
  readonly deflated: Deflated | undefined;
  readonly from: number;
  readonly until: number;
  readonly #fields: readonly Place[] | undefined;

  /** Of chunks that are held already. */
  constructor(chunks: readonly Chunk[], { items, deflated, from, until, fields }: RunFacts) {
    super(chunks);
    this.items = items;
    this.deflated = deflated;
    this.from = from;
    this.until = until;
    this.#fields = fields;
  }

  /**
   * The same with metadata.fields as these texts, one of each item; whoever takes it holds it. Where nobody but who asks holds this one, it is changed, and of no use any more. Undefined where the
   * places are not known, or are not as long.
   */
  with(
    texts: readonly string[],
    { from, until }: Pick<RunFacts, "from" | "until">,
  ): Run | undefined {
    const { items } = this;
    const fields = this.#fields;
    const fits = fields?.every(
      ({ length }, index) => length === Buffer.byteLength(texts[index] ?? ""),
    );
    if (fields === undefined || !fits || this.chunks.length > 1) return undefined;
    const [chunk] = this.#ownChunks();
    if (chunk === undefined) return undefined;
    for (const [index, { at }] of fields.entries()) chunk.bytes.write(texts[index] ?? "", at);
    return new Run([chunk], { items, from, until, fields });
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** Held for who takes them. */
  #ownChunks(): readonly Chunk[] {
    if (this.chunks.every(({ isHeldOnce }) => isHeldOnce)) {
      this.hold();
      return this.chunks;
    }
    const copy = new Chunks();
    copy.expect(this.length);
    for (const { bytes } of this.chunks) copy.add(bytes);
    return copy.take();
  }
}

/** Puts a run together. */
export class RunMaker implements Sink {
  readonly #chunks = new Chunks();
  readonly #gzip: GzipBody | undefined;
  readonly #places: Place[] = [];
  #fields: Uint8Array | undefined;

  /** For who writes to it as to an answer: nothing leaves before all is there. */
  readonly isFull = false;
  /** Told what the metadata.fields of the next item are, which may be one of its parts; undefined for a run that is packed, where they cannot be written over. */
  readonly expectFields?: (fields: Uint8Array | undefined) => void;

  /** Of so many bytes, roughly. */
  constructor(isPacked: boolean, expected: number) {
    this.#gzip = isPacked ? new GzipBody() : undefined;
    if (!isPacked) this.expectFields = (fields) => this.#seek(fields);
    this.#chunks.expect(expected);
  }

  add(part: Uint8Array): void {
    const { length } = part;
    if (part === this.#fields) this.#places.push({ at: this.#chunks.size, length });
    if (this.#gzip === undefined) this.#chunks.add(part);
    else this.#gzip.add(part);
  }

  /** Adds what is deflated already; only where the run is packed. */
  addDeflated(part: Deflated): void {
    this.#gzip?.addDeflated(part);
  }

  async flush(): Promise<void> {}

  #seek(fields: Uint8Array | undefined): void {
    this.#fields = fields;
  }

  /** All that was added; whoever takes it holds it. */
  async take(facts: Pick<RunFacts, "items" | "from" | "until">): Promise<Run> {
    if (this.#gzip === undefined) {
      const fields = this.#places.length === facts.items ? this.#places : undefined;
      return new Run(this.#chunks.take(), { ...facts, fields });
    }
    const all = await this.#gzip.asPart();
    for (const block of all.blocks) this.#chunks.add(block);
    const chunks = this.#chunks.take();
    const blocks = chunks.map(({ bytes }) => bytes);
    return new Run(chunks, { ...facts, deflated: { ...all, blocks } });
  }
}
