import { type Clock, type Logger, messageOf, systemClock } from "../base/index.ts";
import type { Kind, KubeObject } from "../kube/index.ts";
import type { ScannedObject } from "../watch/index.ts";
import type { Background, Job, Steps } from "./background.ts";
import type { CacheStats } from "./cache.ts";
import { ColdFields } from "./cold.ts";
import type { ColumnSpec } from "./columns/column.ts";
import { Columns, type UserColumn } from "./columns/columns.ts";
import { Extractor } from "./columns/extract.ts";
import { type DocumentOptions, Documents } from "./documents.ts";
import type { Facts } from "./facts.ts";
import { type Index, Indexes, type IndexFunction } from "./indexes.ts";
import { Keeping } from "./keeping.ts";
import { Journal } from "./query/journal.ts";
import { Masks } from "./query/masks.ts";
import { Orders } from "./query/orders.ts";
import { cutOf, Records } from "./records.ts";

/** Options of Contents; all of Store's that concern what is kept. */
export interface ContentsOptions extends DocumentOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly background: Background;
  readonly keep?: "objects" | "columns" | undefined;
  readonly managedFields?: "drop" | "cold" | undefined;
}

/** What a row held before. The bytes stay until `release`. */
export interface Before<T> {
  readonly handle: number;
  readonly document: T | undefined;
}

/** Bytes of a row for its key, identity, state and place in bytes: 125 in the heap, 75 outside. */
const PER_ROW = 200;
/** Search texts that nobody used this long are dropped; milliseconds. */
const IDLE = 5 * 60_000;
/** Up to this many rows are read anew at once, ... */
const AT_ONCE = 100;
/** ... as far as that takes no longer than this; milliseconds of the real clock. */
const AT_ONCE_FOR = 2;

/**
 * The objects of a cache with everything derived from them: columns, labels, indexes, sort orders. Knows nothing of lists and watches; keeps
 * all parts in step with the bytes.
 */
export class Contents<T extends KubeObject> {
  readonly records: Records;
  readonly columns: Columns;
  readonly orders: Orders;
  readonly masks: Masks;
  readonly indexes: Indexes<T>;
  readonly documents: Documents<T>;
  readonly keeping: Keeping;
  readonly #journal = new Journal();
  readonly #cold: ColdFields | undefined;
  readonly #logger: Logger;
  readonly #background: Background;
  readonly #jobs = new Set<Job>();
  /** Many may ask for a column or an index at once, such as the clusters of a hub: it is filled once. */
  readonly #filling = new WeakMap<UserColumn | Index<T>, Promise<void>>();
  readonly #clock: Clock;
  /** Grows with each change of what is held. */
  revision = 0;
  /** When a query was last asked, by the monotonic clock. */
  queried = 0;
  #extractor: Extractor;
  /** Columns and indexes that get their values from the list in progress. */
  #refilled: readonly { filled: boolean }[] = [];
  #evacuation: Job | undefined;

  constructor(kind: Kind<T>, options: ContentsOptions) {
    this.#logger = options.logger;
    this.#clock = options.clock;
    this.#background = options.background;
    this.keeping = new Keeping(options.keep !== "columns");
    this.records = new Records();
    const { rows } = this.records;
    this.columns = new Columns(rows, (row, column) => this.#changed(row, column));
    this.orders = new Orders(rows, this.columns, this.#background, options.clock);
    this.masks = new Masks({ rows, columns: this.columns }, this.#journal);
    this.indexes = new Indexes(rows, (name, error) => this.#failed("index", name, error));
    this.documents = new Documents(kind, options, options.logger);
    const cold = options.managedFields === "cold";
    this.#cold = cold ? new ColdFields(rows, this.#background) : undefined;
    this.#extractor = this.#extractorOf([]);
  }

  /** A list begins. True when rows lack bytes, or values of columns and indexes because there are no bytes to read them from. */
  beginList(): boolean {
    const fills = this.keeping.beginList();
    this.#refilled = [];
    if (this.keeping.isComplete) return false;
    const columns = [...this.columns.added.values()].filter(({ filled }) => !filled);
    this.#refilled = [...columns, ...this.indexes.unfilled];
    return fills || this.#refilled.length > 0;
  }

  /** Takes from an object what its row lacks, which has the same state already. */
  refill(row: number, object: ScannedObject): void {
    this.revision++;
    if (this.keeping.keeps && this.records.handleOf(row) < 0) this.#keep(row, object);
    if (this.#refilled.length > 0) this.derive(row, object);
  }

  /** Keeps bytes from now on; those of what is there already come with the next list. */
  keepBytes(): void {
    this.keeping.start(this.records.rows.size === 0);
  }

  /** Lets go of all bytes, at once; columns and indexes stay and follow what changes. */
  dropBytes(): void {
    this.revision++;
    this.keeping.stop();
    this.documents.clear();
    this.#cold?.clear();
    this.records.dropBytes();
  }

  /** Makes a row for a new object. */
  add(facts: Facts, object: ScannedObject): number {
    const row = this.records.rows.add(facts.key);
    this.columns.touch(row);
    this.#changed(row);
    this.#take(row, facts, object);
    return row;
  }

  /** Gives a row another state; tells what it held and whether the labels differ. */
  replace(
    row: number,
    facts: Facts,
    object: ScannedObject,
  ): Before<T> & { readonly labelsChanged: boolean } {
    const before = this.#before(row);
    return { ...before, labelsChanged: this.#take(row, facts, object) };
  }

  /** Frees a row. */
  remove(row: number): Before<T> {
    const before = this.#before(row);
    this.revision++;
    this.#cold?.delete(row);
    this.indexes.delete(row);
    this.columns.delete(row);
    this.columns.touch(row);
    this.#changed(row);
    this.records.remove(row);
    return before;
  }

  /** Lets go of bytes that `replace` or `remove` handed over. */
  release(handle: number): void {
    this.records.release(handle);
    if (this.records.slabs.sparse) this.#evacuation ??= this.#background.run(this.#evacuate());
  }

  /** Takes columns and indexes from an object whose row has the same state already. */
  derive(row: number, object: ScannedObject): void {
    const parses = this.#extractor.parses || this.indexes.size > 0;
    const document = parses ? this.#documentOf(row, object) : undefined;
    this.#extractor.fill(row, object, document, () => this.#exactly(row, object));
    if (this.indexes.size > 0) this.indexes.set(row, document);
  }

  /** The object of a row. */
  object(row: number): T | undefined {
    if (row < 0) return undefined;
    return this.documents.get(row, this.records.rows.keyOf(row), () => this.records.read(row));
  }

  /** The bytes of a row with what was cut out of them. */
  whole(row: number): Buffer | undefined {
    const bytes = this.records.read(row);
    return bytes === undefined || this.#cold === undefined ? bytes : this.#cold.restore(row, bytes);
  }

  /** `"managedFields":[...]` of a row. */
  managedFields(row: number): Buffer | undefined {
    return this.#cold?.member(row);
  }

  /** A list is complete: what waited for it is there, and what waits for quieter times may begin. */
  settle(): void {
    this.#cold?.pack();
    for (const each of this.#refilled) each.filled = true;
    this.#refilled = [];
    this.keeping.endList();
  }

  /** Lets go of what helped queries and was not used for long. */
  trim(): void {
    this.#cold?.packRested();
    this.orders.trim();
    if (this.#clock.monotonic() - this.queried <= IDLE) return;
    this.columns.trim();
    this.masks.clear();
    this.records.rows.expect([]);
  }

  /** Adds columns; resolves when they can be queried. Where no bytes are kept, that is after the next list. Throws for a name in use. */
  addColumns(specs: readonly ColumnSpec[]): Promise<void> {
    const unfilled = this.#add(specs).filter(({ filled }) => !filled);
    this.masks.clear(); // a name that was a label's may be another column's now
    this.#extractor = this.#extractorOf([...this.columns.added.values()]);
    return this.#fillOnce(unfilled, (columns) => this.#readColumns(this.#extractorOf(columns)));
  }

  releaseColumns(names: readonly string[]): void {
    for (const name of names) {
      this.columns.release(name);
      if (!this.columns.added.has(name)) this.orders.trim(name);
    }
    this.masks.clear();
    this.#extractor = this.#extractorOf([...this.columns.added.values()]);
  }

  /** Adds an index; resolves when it can be asked. Throws for a name in use. */
  addIndex(name: string, fn: IndexFunction<T>): Promise<void> {
    const index = this.indexes.add(name, fn);
    return this.#fillOnce(index.filled ? [] : [index], () => this.#readIndex(index));
  }

  get stats(): CacheStats {
    const { live, allocated } = this.records.slabs.usage;
    const cold = this.#cold?.bytes ?? 0;
    const columns = this.columns.bytes + this.masks.bytes;
    const rows = this.records.rows.end * PER_ROW;
    return {
      ...{ objects: this.records.rows.size, bytes: live, allocated, cold, columns },
      orders: this.orders.size,
      malformed: this.documents.malformed,
      total: allocated + cold + columns + this.orders.bytes + rows,
    };
  }

  /** Lets go of everything. */
  dispose(): void {
    this.revision++;
    for (const job of this.#jobs) job.cancel();
    this.#evacuation?.cancel();
    this.#extractor = this.#extractorOf([]);
    this.orders.clear();
    this.masks.clear();
    this.indexes.clear();
    this.#cold?.clear();
    this.columns.dispose();
    this.keeping.stop();
    this.documents.clear();
    this.records.clear();
  }

  /** Those who keep what they found of all rows are told; without a column the row came or went. */
  #changed(row: number, column?: string): void {
    this.orders.touch(row, column);
    this.#journal.note(row);
  }

  #before(row: number): Before<T> {
    const before = { handle: this.records.handleOf(row), document: this.documents.peek(row) };
    this.documents.forget(row);
    return before;
  }

  /** True when the labels differ from those before. */
  #take(row: number, facts: Facts, object: ScannedObject): boolean {
    this.revision++;
    this.records.identify(row, facts);
    if (this.keeping.keeps) this.#keep(row, object);
    const labelsChanged = this.columns.setBuiltIn(row, facts);
    this.derive(row, object);
    return labelsChanged;
  }

  #keep(row: number, object: ScannedObject): void {
    this.records.keep(row, object);
    const cut = cutOf(object);
    if (cut === undefined) this.#cold?.delete(row);
    else this.#cold?.set(row, object.bytes, object.start, cut);
  }

  #documentOf(row: number, { bytes, start, end }: ScannedObject): T | undefined {
    if (this.keeping.keeps) return this.object(row);
    return this.documents.parse(this.records.rows.keyOf(row), bytes, start, end);
  }

  /** Without managedFields, as `object`, where the bytes are kept. */
  #exactly(
    row: number,
    { bytes, start, end }: Pick<ScannedObject, "bytes" | "start" | "end">,
  ): T | undefined {
    const kept = this.records.read(row) ?? bytes.subarray(start, end);
    return this.documents.parseExactly(this.records.rows.keyOf(row), kept, 0, kept.length);
  }

  #extractorOf(columns: readonly UserColumn[]): Extractor {
    return new Extractor(this.columns, columns, (name, error) =>
      this.#failed("column", name, error),
    );
  }

  #failed(what: "column" | "index", name: string, error: unknown): void {
    this.#logger.error("a function of the cache failed", {
      [what]: name,
      error: messageOf(error),
    });
  }

  /** All of them or, when one cannot be added, none. */
  #add(specs: readonly ColumnSpec[]): readonly UserColumn[] {
    const added: UserColumn[] = [];
    try {
      for (const spec of specs) added.push(this.columns.add(spec));
      return added;
    } catch (error) {
      for (const { spec } of added) this.columns.release(spec.name);
      throw error;
    }
  }

  /** Resolves when all of them are filled, or cannot be from bytes; what is being filled already is not filled twice. */
  async #fillOnce<F extends UserColumn | Index<T>>(
    unfilled: readonly F[],
    read: (unfilled: readonly F[]) => Steps,
  ): Promise<void> {
    const fresh = unfilled.filter((each) => !this.#filling.has(each));
    const filling = this.#fill(fresh, read).finally(() => {
      for (const each of fresh) this.#filling.delete(each); // a later user may find bytes where there were none
    });
    for (const each of fresh) this.#filling.set(each, filling);
    await Promise.all(unfilled.map((each) => this.#filling.get(each)));
  }

  /** Bytes may come and go at any time: values count only where all were there until the last of them was read. */
  async #fill<F extends UserColumn | Index<T>>(
    wanted: readonly F[],
    read: (unfilled: readonly F[]) => Steps,
  ): Promise<void> {
    for (;;) {
      const unfilled = wanted.filter(({ filled }) => !filled);
      if (unfilled.length === 0 || !this.keeping.keeps) return;
      if (!this.keeping.isComplete) {
        await this.keeping.complete; // its list fills those that were there when it began
        continue;
      }
      await this.#inBackground(read(unfilled));
      if (this.keeping.isComplete) for (const each of unfilled) each.filled = true;
    }
  }

  *#readColumns(extractor: Extractor): Steps {
    for (const [row, bytes] of this.#allBytes()) {
      const place = { bytes, start: 0, end: bytes.length };
      const document = extractor.parses ? this.object(row) : undefined;
      extractor.fill(row, place, document, () => this.#exactly(row, place));
      yield;
    }
  }

  *#readIndex(index: Index<T>): Steps {
    for (const [row] of this.#allBytes()) {
      this.indexes.setOne(index, row, this.object(row));
      yield;
    }
  }

  *#allBytes(): Generator<readonly [number, Buffer], void> {
    for (let row = 0; row < this.records.rows.end; row++) {
      const bytes = this.records.rows.isAlive(row) ? this.records.read(row) : undefined;
      if (bytes !== undefined) yield [row, bytes];
    }
  }

  /** Small work is done before it returns. */
  async #inBackground(steps: Steps): Promise<void> {
    if (this.records.rows.size <= AT_ONCE && endsSoon(steps)) return;
    const job = this.#background.run(steps);
    this.#jobs.add(job);
    await job.done;
    this.#jobs.delete(job);
  }

  *#evacuate(): Steps {
    try {
      while (this.records.slabs.evacuate()) yield;
    } finally {
      this.#evacuation = undefined;
    }
  }
}

/** Goes through steps for as long as nobody minds; true when that was all of them. */
function endsSoon(steps: Steps): boolean {
  const until = systemClock.monotonic() + AT_ONCE_FOR;
  while (systemClock.monotonic() < until) if (steps.next().done === true) return true;
  return false;
}
