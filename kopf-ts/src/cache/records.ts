import type { ScannedObject } from "../watch/index.ts";
import type { Facts } from "./facts.ts";
import { ResourceVersions, Uids } from "./identity.ts";
import { Rows } from "./rows.ts";
import { type Cut, Slabs } from "./slabs.ts";

/** The objects of a cache by row: bytes, identity, and in which list they were last seen. */
export class Records {
  readonly rows: Rows = new Rows();
  readonly slabs: Slabs = new Slabs();
  readonly resourceVersions: ResourceVersions = new ResourceVersions(this.rows);
  readonly uids: Uids = new Uids(this.rows);
  /** Handle plus one; 0 for a row without bytes. */
  #handleOf = new Uint32Array(0);
  /** Which bytes a row has or had: a number that no others had. */
  #stateOf = new Float64Array(0);
  #states = 0;
  /** In which list a row was last seen; 0 for none of the last 255. */
  #epochOf = new Uint8Array(0);
  #epoch = 0;

  constructor() {
    this.rows.onResize((capacity) => {
      this.#handleOf = new Uint32Array(this.#handleOf.buffer.transfer(capacity * 4));
      this.#stateOf = new Float64Array(this.#stateOf.buffer.transfer(capacity * 8));
      this.#epochOf = new Uint8Array(this.#epochOf.buffer.transfer(capacity));
    });
  }

  /** Takes over who the object is and its state. */
  identify(row: number, facts: Facts): void {
    this.resourceVersions.set(row, facts.resourceVersion);
    this.uids.set(row, facts.uid);
  }

  /** Takes over the bytes, or forgets them. What the row held before stays the caller's to release (`handleOf` before the call). */
  keep(row: number, object: ScannedObject | undefined): void {
    this.#handleOf[row] = object === undefined ? 0 : this.store(object) + 1;
    this.#stateOf[row] = ++this.#states;
  }

  /** Forgets the bytes of all rows, and every entry that somebody else has a reference to. */
  dropBytes(): void {
    this.#handleOf.fill(0);
    this.slabs.clear();
  }

  /** Copies the bytes of an object, without managedFields, into the slabs. */
  store(object: ScannedObject): number {
    return this.slabs.put(object.bytes, object.start, object.end, cutOf(object));
  }

  /** The row is free again; its bytes stay the caller's to release. */
  remove(row: number): void {
    this.resourceVersions.delete(row);
    this.uids.delete(row);
    this.#handleOf[row] = 0;
    this.rows.remove(row);
  }

  /** Tells the row's bytes from all others that any row has or had; undefined when it has none. */
  stateOf(row: number): number | undefined {
    return this.handleOf(row) < 0 ? undefined : this.#stateOf[row];
  }

  /** The handle of the row's bytes, -1 when it has none. */
  handleOf(row: number): number {
    return (this.#handleOf[row] ?? 0) - 1;
  }

  /** Whether the row has the bytes of this object, as they are stored; false when it has none. */
  holds(row: number, object: ScannedObject): boolean {
    const { bytes, start, end } = object;
    const { start: head, end: tail } = cutOf(object) ?? { start: end, end };
    const held = this.read(row);
    if (held === undefined) return false;
    const rest = held.subarray(head - start);
    return (
      held.subarray(0, head - start).equals(bytes.subarray(start, head)) &&
      rest.equals(bytes.subarray(tail, end))
    );
  }

  read(row: number): Buffer | undefined {
    const handle = this.handleOf(row);
    return handle < 0 ? undefined : this.slabs.read(handle);
  }

  release(handle: number): void {
    if (handle >= 0) this.slabs.release(handle);
  }

  /** From now on every row is unmarked. */
  beginMarking(): void {
    this.#epoch++;
    if (this.#epoch < 256) return;
    this.#epoch = 1;
    this.#epochOf.fill(0);
  }

  mark(row: number): void {
    this.#epochOf[row] = this.#epoch;
  }

  isMarked(row: number): boolean {
    return this.#epochOf[row] === this.#epoch;
  }

  /** How many rows were not marked. */
  get unmarked(): number {
    let count = 0;
    for (let row = 0; row < this.rows.end; row++) {
      if (!this.isMarked(row) && this.rows.isAlive(row)) count++;
    }
    return count;
  }

  clear(): void {
    this.rows.clear();
    this.slabs.clear();
    this.resourceVersions.clear();
    this.uids.clear();
    this.#handleOf.fill(0);
  }
}

/** Where managedFields lie, undefined when there are none. */
export function cutOf({ managedFieldsStart, managedFieldsEnd }: ScannedObject): Cut | undefined {
  return managedFieldsStart < 0 ? undefined : { start: managedFieldsStart, end: managedFieldsEnd };
}
