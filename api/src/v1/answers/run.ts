/** Items one behind the other, as they stand in answers. */

import { type Deflated, deflatedInOne, GzipBody } from "../pieces/gzip.ts";
import { type ShownCell, shown, unchangedFor } from "../printers/cell.ts";
import { type Chunk, Chunks } from "./chunks.ts";
import type { Sink } from "./formats.ts";
import { Held } from "./held.ts";

/** What a run is beside its bytes. */
interface RunFacts {
  /** How many items. */
  readonly items: number;
  /** What its bytes are for a body in gzip; undefined for one as it is. */
  readonly deflated?: Deflated | undefined;
  /** Whether that was deflated in one, not piece by piece. */
  readonly isDense?: boolean | undefined;
  /** As far as ages go it is right `from` and before `until`, in milliseconds since the Unix epoch. */
  readonly from: number;
  readonly until: number;
  /** What changes with time, in the order of the bytes; undefined where it cannot be told from the rest. */
  readonly cells?: readonly ShownCell[] | undefined;
}

/** Bytes of which some tell of ages. */
export interface AgingBytes {
  /** At a time, in milliseconds since the Unix epoch; the same buffer until they are others, which stays as it is. */
  bytesAt(now: number): Uint8Array;
  /** What changes in them, in their order. */
  changingAt(now: number): readonly ShownCell[];
}

/** Items of a list, in a form, with what stands between them: what is around them may be another one. */
export class Run extends Held implements Disposable {
  readonly items: number;
  readonly deflated: Deflated | undefined;
  readonly isDense: boolean;
  readonly from: number;
  readonly until: number;
  readonly #cells: readonly ShownCell[] | undefined;

  /** Of chunks that are held already. */
  constructor(
    chunks: readonly Chunk[],
    { items, deflated, isDense = false, from, until, cells }: RunFacts,
  ) {
    super(chunks);
    this.items = items;
    this.deflated = deflated;
    this.isDense = isDense;
    this.from = from;
    this.until = until;
    this.#cells = cells;
  }

  /**
   * The same with its ages at another time, in milliseconds since the Unix epoch; whoever takes it holds it. Where nobody but who asks holds this one, and all that is shown is as long, it is
   * changed, and of no use any more. Undefined where ages cannot be told from the rest.
   */
  at(now: number): Run | undefined {
    const { items } = this;
    const [chunk, ...others] = this.chunks;
    const cells = this.#cells;
    if (cells === undefined || chunk === undefined || others.length > 0) return undefined;
    const texts = cells.map(({ cell }) => String(shown(cell, now)));
    const facts = { items, from: now, until: now + unchangedIn(cells, now) };
    if (!chunk.isHeldOnce || !areAsLong(cells, texts)) {
      const copy = copyWith(chunk.bytes, cells, texts);
      return new Run(copy.chunks, { ...facts, cells: copy.cells });
    }
    chunk.hold();
    for (const [index, { at }] of cells.entries()) chunk.bytes.write(texts[index] ?? "", at);
    return new Run([chunk], { ...facts, cells });
  }

  /** The same in gzip with fewer bytes, made on another thread of a copy; whoever takes it holds it. Undefined for one that is not in gzip. */
  async dense(): Promise<Run | undefined> {
    const { items, deflated, from, until } = this;
    if (deflated === undefined) return undefined;
    return packedRun(await deflatedInOne(deflated), { items, from, until, isDense: true });
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Of what was deflated, in as few chunks as it fits into; whoever takes it holds it. */
function packedRun(all: Deflated, facts: Omit<RunFacts, "deflated">): Run {
  const chunks = new Chunks();
  chunks.addAll(all.blocks);
  const taken = chunks.take();
  const blocks = taken.map(({ bytes }) => bytes);
  return new Run(taken, { ...facts, deflated: { ...all, blocks } });
}

/** Milliseconds from a time on in which nothing changes. */
function unchangedIn(cells: readonly ShownCell[], now: number): number {
  return cells.reduce(
    (least, { cell }) => Math.min(least, unchangedFor(cell, now)),
    Number.POSITIVE_INFINITY,
  );
}

function areAsLong(cells: readonly ShownCell[], texts: readonly string[]): boolean {
  return cells.every(({ length }, index) => length === Buffer.byteLength(texts[index] ?? ""));
}

/** A copy of bytes with these texts in place of what is shown of cells, and where they are in it. */
function copyWith(
  bytes: Buffer,
  cells: readonly ShownCell[],
  texts: readonly string[],
): { readonly chunks: readonly Chunk[]; readonly cells: readonly ShownCell[] } {
  const copy = new Chunks();
  copy.expect(bytes.length + texts.join("").length);
  const copied: ShownCell[] = [];
  let end = 0;
  for (const [index, { cell, at, length }] of cells.entries()) {
    copy.add(bytes.subarray(end, at));
    const begin = copy.size;
    copy.add(texts[index] ?? "");
    copied.push({ cell, at: begin, length: copy.size - begin });
    end = at + length;
  }
  copy.add(bytes.subarray(end));
  return { chunks: copy.take(), cells: copied };
}

/** What a RunMaker is made with. */
interface RunMakerParts {
  readonly isPacked: boolean;
  /** How many bytes it will be, roughly. */
  readonly expected: number;
  /** As of when ages are shown, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Puts a run together. */
export class RunMaker implements Sink {
  readonly #chunks = new Chunks();
  readonly #gzip: GzipBody | undefined;
  readonly #now: number;
  readonly #cells: ShownCell[] = [];
  /** How many items have fields whose place is known. */
  #known = 0;
  #fields: AgingBytes | undefined;
  #bytes: Uint8Array | undefined;

  /** For who writes to it as to an answer: nothing leaves before all is there. */
  readonly isFull = false;
  /** Told what the metadata.fields of the next item are, whose bytes may be one of its parts; undefined for a run that is packed, where they cannot be written over. */
  readonly expectFields?: (fields: AgingBytes | undefined) => void;

  constructor({ isPacked, expected, now }: RunMakerParts) {
    this.#gzip = isPacked ? new GzipBody() : undefined;
    this.#now = now;
    if (!isPacked) this.expectFields = (fields) => this.#seek(fields);
    this.#chunks.expect(expected);
  }

  add(part: Uint8Array): void {
    if (part === this.#bytes) this.#noteFields();
    if (this.#gzip === undefined) this.#chunks.add(part);
    else this.#gzip.add(part);
  }

  /** Adds what is deflated already; only where the run is packed. */
  addDeflated(part: Deflated): void {
    this.#gzip?.addDeflated(part);
  }

  async flush(): Promise<void> {}

  #seek(fields: AgingBytes | undefined): void {
    this.#fields = fields;
    this.#bytes = fields?.bytesAt(this.#now);
  }

  #noteFields(): void {
    const { size } = this.#chunks;
    const cells = this.#fields?.changingAt(this.#now) ?? [];
    for (const { cell, at, length } of cells) this.#cells.push({ cell, at: size + at, length });
    this.#known++;
  }

  /** All that was added; whoever takes it holds it. */
  async take({ items, until }: Pick<RunFacts, "items" | "until">): Promise<Run> {
    const facts = { items, from: this.#now, until };
    if (this.#gzip === undefined) {
      const cells = this.#known === items ? this.#cells : undefined;
      return new Run(this.#chunks.take(), { ...facts, cells });
    }
    return packedRun(await this.#gzip.asPart(), facts); // what was expected may have been packed in another way
  }
}
