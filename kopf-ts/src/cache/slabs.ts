/** Where a cache keeps the bytes of its objects: outside the heap, a few large buffers instead of one per object. */

import { grown } from "./growth.ts";

/** A range of bytes to leave out. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

/** What Slabs hold. All in bytes. */
export interface SlabUsage {
  /** Of entries that somebody still refers to. */
  readonly live: number;
  /** Of all slabs; the difference to `live` is free, or garbage that waits for evacuation. */
  readonly allocated: number;
}

interface Slab {
  readonly bytes: Buffer;
  used: number;
  live: number;
}

const SMALLEST = 4 * 1024;
/** Larger ones would not fit between what else comes and goes in the memory of the process. */
const LARGEST = 1024 * 1024;
/** Longer entries get a buffer of their own: in a slab they would leave too large a rest. */
const OWN_BUFFER = 256 * 1024;

/**
 * An arena of byte strings. `put` copies bytes in and returns a handle with one reference; the entry goes with its last reference. Space is
 * handed out front to back and never written twice: a Buffer from `read` keeps its content for ever, but keeps up to 1 MiB alive with it.
 * Slabs grow from 4 KiB to 1 MiB with what is stored. One that is less than half alive is evacuated by `evacuate`, which the owner calls
 * now and then; each call copies at most 512 KiB. So what is allocated stays below 2 x live + 2 slabs, and each byte written is copied at most
 * about once more.
 */
export class Slabs {
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeSlabs: number[] = [];
  readonly #sparse = new Set<number>();
  #current = -1;
  #live = 0;
  #allocated = 0;

  readonly #freeHandles: number[] = [];
  #handles = 0;
  #slabOf = new Uint32Array(16);
  #offset = new Uint32Array(16);
  #length = new Uint32Array(16);
  /** 0: the handle is free. A byte is enough: a row and two entries of the history refer to a state. */
  #references = new Uint8Array(16);

  get usage(): SlabUsage {
    return { live: this.#live, allocated: this.#allocated };
  }

  /** True while a slab waits for `evacuate`. */
  get sparse(): boolean {
    return this.#sparse.size > 0;
  }

  /** Copies bytes from `start` to `end` without those of `cut`. */
  put(bytes: Buffer, start: number, end: number, cut?: Cut): number {
    const length = end - start - (cut === undefined ? 0 : cut.end - cut.start);
    const handle = this.#newHandle();
    const to = this.#place(handle, length);
    const at = this.#offset[handle] ?? 0;
    if (cut === undefined) {
      bytes.copy(to, at, start, end);
    } else {
      bytes.copy(to, at, start, cut.start);
      bytes.copy(to, at + cut.start - start, cut.end, end);
    }
    return handle;
  }

  /** The bytes of an entry, without a copy. */
  read(handle: number): Buffer {
    const slab = this.#slabs[this.#slabOf[handle] ?? 0];
    const from = this.#offset[handle] ?? 0;
    if (slab === undefined || this.#references[handle] === 0) throw new Error("no such entry");
    return slab.bytes.subarray(from, from + this.lengthOf(handle));
  }

  lengthOf(handle: number): number {
    return this.#length[handle] ?? 0;
  }

  /** Adds a reference, one of at most 255. */
  retain(handle: number): void {
    this.#references[handle] = (this.#references[handle] ?? 0) + 1;
  }

  /** Takes a reference back; with the last one the entry goes. Nothing happens for an entry that went with `clear`. */
  release(handle: number): void {
    const left = (this.#references[handle] ?? 0) - 1;
    if (left >= 0) this.#references[handle] = left;
    if (left !== 0) return;
    const length = this.lengthOf(handle);
    this.#live -= length;
    this.#freeHandles.push(handle);
    this.#leave(this.#slabOf[handle] ?? 0, length);
  }

  /** Moves what is alive out of one slab that is mostly garbage; false when there was none. */
  evacuate(): boolean {
    const [index] = this.#sparse;
    if (index === undefined) return false;
    this.#sparse.delete(index);
    const from = this.#slabs[index];
    if (from === undefined) return true;
    for (let handle = 0; handle < this.#handles; handle++) {
      if (this.#slabOf[handle] !== index || this.#references[handle] === 0) continue;
      const start = this.#offset[handle] ?? 0;
      const to = this.#place(handle, this.lengthOf(handle));
      this.#live -= this.lengthOf(handle);
      from.bytes.copy(to, this.#offset[handle] ?? 0, start, start + this.lengthOf(handle));
    }
    this.#drop(index);
    return true;
  }

  /** Forgets every entry and lets go of every buffer. */
  clear(): void {
    for (const list of [this.#slabs, this.#freeSlabs, this.#freeHandles]) list.length = 0;
    this.#sparse.clear();
    this.#current = -1;
    this.#live = 0;
    this.#allocated = 0;
    this.#handles = 0;
    this.#references.fill(0);
    this.#resize(16);
  }

  #newHandle(): number {
    const handle = this.#freeHandles.pop() ?? this.#handles++;
    if (handle >= this.#slabOf.length) this.#resize(grown(this.#slabOf.length));
    this.#references[handle] = 1;
    return handle;
  }

  #resize(capacity: number): void {
    const bytes = capacity * Uint32Array.BYTES_PER_ELEMENT;
    this.#slabOf = new Uint32Array(this.#slabOf.buffer.transfer(bytes));
    this.#offset = new Uint32Array(this.#offset.buffer.transfer(bytes));
    this.#length = new Uint32Array(this.#length.buffer.transfer(bytes));
    this.#references = new Uint8Array(this.#references.buffer.transfer(capacity));
  }

  /** Finds room for an entry and returns the buffer to write to, at the handle's offset. */
  #place(handle: number, length: number): Buffer {
    const index = length > OWN_BUFFER ? this.#allocate(length) : this.#roomFor(length);
    const slab = this.#slabs[index];
    if (slab === undefined) throw new Error("no such slab");
    this.#slabOf[handle] = index;
    this.#offset[handle] = slab.used;
    this.#length[handle] = length;
    slab.used += length;
    slab.live += length;
    this.#live += length;
    return slab.bytes;
  }

  #roomFor(length: number): number {
    const current = this.#slabs[this.#current];
    if (current !== undefined && current.used + length <= current.bytes.length) {
      return this.#current;
    }
    const full = this.#current;
    this.#current = this.#allocate(this.#nextSize(length));
    this.#leave(full, 0);
    return this.#current;
  }

  /** An eighth of what there is, so that small caches stay small and large ones have few slabs. */
  #nextSize(length: number): number {
    const wanted = Math.max(SMALLEST, this.#allocated / 8, length * 4);
    return Math.min(LARGEST, 2 ** Math.ceil(Math.log2(wanted)));
  }

  #allocate(size: number): number {
    const index = this.#freeSlabs.pop() ?? this.#slabs.length;
    this.#slabs[index] = { bytes: Buffer.allocUnsafeSlow(size), used: 0, live: 0 };
    this.#allocated += size;
    return index;
  }

  /** `length` bytes of a slab are garbage now. */
  #leave(index: number, length: number): void {
    const slab = this.#slabs[index];
    if (slab === undefined) return;
    slab.live -= length;
    if (slab.live === 0 && !this.#staysEmpty(index, slab)) this.#drop(index);
    else if (index !== this.#current && slab.live * 2 < slab.bytes.length) this.#sparse.add(index);
  }

  /** One that is being filled stays while half of it is free: who puts an entry in place of the only one in it does not make a slab each time. */
  #staysEmpty(index: number, { used, bytes }: Slab): boolean {
    return index === this.#current && used * 2 <= bytes.length && this.#live > 0;
  }

  #drop(index: number): void {
    this.#allocated -= this.#slabs[index]?.bytes.length ?? 0;
    this.#slabs[index] = undefined;
    this.#freeSlabs.push(index);
    this.#sparse.delete(index);
    if (index === this.#current) this.#current = -1;
  }
}
