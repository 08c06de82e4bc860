/** The items of one list, put one behind the other. */

import type { Format, Sink } from "../answers/formats.ts";
import type { AgingBytes } from "../answers/run.ts";
import type { Collection } from "../collections/collection.ts";
import { type ItemWriter, isPacked, type PackedItem } from "../items/item.ts";
import { asFirst } from "../items/packed.ts";
import type { Deflated } from "../pieces/gzip.ts";
import type { Slices } from "../slices.ts";

/** Where the items of a list go. */
export interface ItemSink extends Sink {
  addDeflated(part: Deflated): void;
  /** Called with the metadata.fields of each item before it is made, for who wants to know where they are. */
  readonly expectFields?: (fields: AgingBytes | undefined) => void;
  /** Whether so much is waiting that it has to be flushed. */
  readonly isFull: boolean;
  flush(): Promise<void>;
}

/** What the items of a list are made from. */
export interface ListItemsParts {
  /** Undefined for a list of nothing. */
  readonly collection: Collection | undefined;
  readonly keys: readonly string[];
  /** Made when it is needed for the first time: items that are known as they were sent need none. */
  readonly makeWriter: () => ItemWriter;
  readonly format: Format;
  /** Whether they may be deflated already. */
  readonly packs: boolean;
  /** When it is, for them; in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly slices: Slices;
  readonly signal: AbortSignal;
}

/** Items of the objects that a list found, as they are when they are written. */
export class ListItems {
  readonly #parts: ListItemsParts;
  #madeWriter: ItemWriter | undefined;

  constructor(parts: ListItemsParts) {
    this.#parts = parts;
  }

  get collection(): Collection | undefined {
    return this.#parts.collection;
  }

  get keys(): readonly string[] {
    return this.#parts.keys;
  }

  get now(): number {
    return this.#parts.now;
  }

  /** Before when they stay right that were just written, as far as ages go; in milliseconds since the Unix epoch. */
  get until(): number {
    const { collection, keys, now } = this.#parts;
    return collection === undefined ? now : this.#writer.untilOf(collection, keys);
  }

  /** Writes them with what stands between them, in slices, as fast as they are taken; returns how many. Those that have gone are left out. Rejects when the type goes, or the caller. */
  async writeTo(sink: ItemSink): Promise<number> {
    const { collection, keys, slices } = this.#parts;
    if (collection === undefined) return 0;
    const writer = this.#writer;
    let written = 0;
    for (const key of keys) {
      if (writer.prepare !== undefined) await this.#prepare(collection, key);
      sink.expectFields?.(writer.fieldsOf(collection, key));
      const item = this.#itemOf(collection, key);
      if (item !== undefined) this.#add(sink, item, written++ === 0);
      if (!sink.isFull && !slices.isOver) continue;
      if (sink.isFull) await sink.flush();
      await slices.rest();
      collection.gone.throwIfAborted();
    }
    return written;
  }

  async #prepare({ cache, gone }: Collection, key: string): Promise<void> {
    await this.#writer.prepare?.(cache.raw(key), this.#parts.signal);
    gone.throwIfAborted();
  }

  get #writer(): ItemWriter {
    this.#madeWriter ??= this.#parts.makeWriter();
    return this.#madeWriter;
  }

  #itemOf(collection: Collection, key: string): PackedItem | undefined {
    const writer = this.#writer;
    return this.#parts.packs ? writer.packedOfKey(collection, key) : writer.ofKey(collection, key);
  }

  #add(sink: ItemSink, item: PackedItem, isFirst: boolean): void {
    if (isPacked(item)) sink.addDeflated(isFirst ? asFirst(item) : item);
    else this.#parts.format.item(sink, item, isFirst);
  }
}
