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
  /** As for the answer that it was made for, in milliseconds since the Unix epoch: before that it stays right, as far as ages go. */
  readonly until: number;
}

/** Items of a list, in a form, with what stands between them: what is around them may be another one. */
export class Run extends Held {
  readonly items: number;
  readonly deflated: Deflated | undefined;
  readonly until: number;

  /** Of chunks that are held already. */
  constructor(chunks: readonly Chunk[], { items, deflated, until }: RunFacts) {
    super(chunks);
    this.items = items;
    this.deflated = deflated;
    this.until = until;
  }
}

/** Puts a run together. */
export class RunMaker implements Sink {
  readonly #chunks = new Chunks();
  readonly #gzip: GzipBody | undefined;

  /** For who writes to it as to an answer: nothing leaves before all is there. */
  readonly isFull = false;

  /** Of so many bytes, roughly. */
  constructor(isPacked: boolean, expected: number) {
    this.#gzip = isPacked ? new GzipBody() : undefined;
    this.#chunks.expect(expected);
  }

  add(part: Uint8Array): void {
    if (this.#gzip === undefined) this.#chunks.add(part);
    else this.#gzip.add(part);
  }

  /** Adds what is deflated already; only where the run is packed. */
  addDeflated(part: Deflated): void {
    this.#gzip?.addDeflated(part);
  }

  async flush(): Promise<void> {}

  /** All that was added; whoever takes it holds it. */
  async take(facts: Omit<RunFacts, "deflated">): Promise<Run> {
    if (this.#gzip === undefined) return new Run(this.#chunks.take(), facts);
    const all = await this.#gzip.asPart();
    for (const block of all.blocks) this.#chunks.add(block);
    const chunks = this.#chunks.take();
    const blocks = chunks.map(({ bytes }) => bytes);
    return new Run(chunks, { ...facts, deflated: { ...all, blocks } });
  }
}
