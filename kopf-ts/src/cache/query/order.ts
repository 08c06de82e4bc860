import type { Rows } from "../rows.ts";
import type { Selection } from "./masks.ts";
import { type Compare, mergeSort } from "./sort.ts";

interface Block {
  readonly id: number;
  readonly rows: Uint32Array<ArrayBuffer>;
  size: number;
}

/** How many rows of each block a selection has, and of which state of both that is true. */
interface Counted {
  readonly order: number;
  readonly selected: number;
  readonly counts: Uint32Array;
}

const FULL = 1024;
/** Rows of a block when the order is made: half, so that it takes as many more before it splits. */
const HALF = FULL / 2;
/** Changed rows that are worth moving one by one; beyond it sorting anew in the background is better. About 20 ms. */
const MOST_MOVES = 8192;

/**
 * All rows in one sort order, in blocks of up to 1,024: a row moves at the cost of one block, a page starts without walking to it. Rows that
 * change are only noted (`touch`); the next `refresh` moves them. Built by `build`, a step at a time, while rows go on changing.
 */
export class OrderIndex {
  readonly #rows: Rows;
  readonly #compare: Compare;
  #blocks: Block[] = [];
  readonly #byId: (Block | undefined)[] = [];
  /** The block of a row plus one; 0 for none. */
  #blockOf = new Uint32Array(0);
  #touched = new Uint8Array(0);
  #moves: number[] = [];
  /** Grows whenever a row moves. */
  #version = 0;
  #counted = new WeakMap<Selection, Counted>();
  #state: "empty" | "building" | "ready" = "empty";

  constructor(rows: Rows, compare: Compare) {
    this.#rows = rows;
    this.#compare = compare;
  }

  get state(): "empty" | "building" | "ready" {
    return this.#state;
  }

  get bytes(): number {
    return this.#blocks.length * FULL * 4 + this.#blockOf.byteLength + this.#touched.byteLength;
  }

  /** The row came, went or changed where this order looks. */
  touch(row: number): void {
    if (this.#state === "empty" || this.#touched[row] === 1) return;
    this.#reserve(row + 1);
    this.#touched[row] = 1;
    this.#moves.push(row);
  }

  /** Sorts everything, a step at a time. It is building from the call on, not from the first step: nobody builds it twice at once. */
  build(): Generator<void, void, void> {
    this.clear();
    this.#state = "building";
    return this.#building();
  }

  *#building(): Generator<void, void, void> {
    const rows = rowsOf(this.#rows.alive, this.#rows.end);
    this.#reserve(this.#rows.end);
    const sorted = yield* mergeSort(rows, this.#compare, (row) => this.#touched[row] === 1);
    for (let start = 0; start < sorted.length; start += HALF) {
      this.#blocks.push(this.#newBlock(sorted.subarray(start, start + HALF)));
      yield;
    }
    this.#state = "ready";
  }

  /** Brings the order up to date; false when it has to be built (again) first. */
  refresh(): boolean {
    if (this.#state !== "ready") return false;
    const most = Math.min(MOST_MOVES, this.#rows.size / 8 + 64);
    if (this.#moves.length > most) {
      this.clear();
      return false;
    }
    if (this.#moves.length > 0) this.#version++;
    for (const row of this.#moves) this.#remove(row);
    for (const row of this.#moves) {
      this.#touched[row] = 0;
      if (this.#rows.isAlive(row)) this.#insert(row);
    }
    this.#moves = [];
    return true;
  }

  /** The rows from `offset` on, `limit` of them, counting only those that are selected when some are. */
  page(offset: number, limit: number, selection?: Selection): number[] {
    const page: number[] = [];
    const mask = selection?.mask;
    const counts = selection && offset > HALF ? this.#counts(selection) : undefined;
    let skip = offset;
    for (const [index, block] of this.#blocks.entries()) {
      if (page.length >= limit) break;
      const size = mask === undefined ? block.size : counts?.[index];
      if (size !== undefined && skip >= size) skip -= size;
      else skip = pick(block, mask, skip, limit, page);
    }
    return page;
  }

  /** How many rows of each block are selected: counted once, until one of them or the order changes. */
  #counts(selection: Selection): Uint32Array {
    const known = this.#counted.get(selection);
    if (known?.order === this.#version && known.selected === selection.version) return known.counts;
    const counts = Uint32Array.from(this.#blocks, (block) => countOf(block, selection.mask));
    this.#counted.set(selection, { order: this.#version, selected: selection.version, counts });
    return counts;
  }

  clear(): void {
    this.#state = "empty";
    this.#version++;
    this.#counted = new WeakMap();
    this.#blocks = [];
    this.#byId.length = 0;
    this.#blockOf = new Uint32Array(0);
    this.#touched = new Uint8Array(0);
    this.#moves = [];
  }

  #reserve(rows: number): void {
    if (rows <= this.#blockOf.length) return;
    const capacity = Math.max(rows, this.#blockOf.length * 2);
    this.#blockOf = new Uint32Array(this.#blockOf.buffer.transfer(capacity * 4));
    this.#touched = new Uint8Array(this.#touched.buffer.transfer(capacity));
  }

  #newBlock(rows: Uint32Array): Block {
    const block = { id: this.#byId.length, rows: new Uint32Array(FULL), size: rows.length };
    block.rows.set(rows);
    this.#byId.push(block);
    for (const row of rows) this.#blockOf[row] = block.id + 1;
    return block;
  }

  #remove(row: number): void {
    const block = this.#byId[(this.#blockOf[row] ?? 0) - 1];
    if (block === undefined) return;
    const at = block.rows.indexOf(row);
    block.rows.copyWithin(at, at + 1, block.size);
    block.size--;
    this.#blockOf[row] = 0;
    if (block.size > 0) return;
    this.#byId[block.id] = undefined;
    this.#blocks = this.#blocks.filter((each) => each !== block);
  }

  #insert(row: number): void {
    const index = this.#blockFor(row);
    let block = this.#blocks[index];
    if (block === undefined) {
      this.#blocks.push(this.#newBlock(Uint32Array.of(row)));
      return;
    }
    if (block.size === FULL) {
      const second = this.#newBlock(block.rows.subarray(HALF, FULL));
      block.size = HALF;
      this.#blocks.splice(index + 1, 0, second);
      if (this.#compare(row, second.rows[0] ?? 0) > 0) block = second;
    }
    const at = lowerBound(block.size, (place) => this.#compare(block.rows[place] ?? 0, row) < 0);
    block.rows.copyWithin(at + 1, at, block.size);
    block.rows[at] = row;
    block.size++;
    this.#blockOf[row] = block.id + 1;
  }

  /** The last block that does not begin after the row. */
  #blockFor(row: number): number {
    const after = lowerBound(
      this.#blocks.length,
      (index) => this.#compare(this.#blocks[index]?.rows[0] ?? 0, row) < 0,
    );
    return Math.max(0, after - 1);
  }
}

/** Row numbers of everything that is 1 in `mask`, of which there is `total` when that is known. */
export function rowsOf(mask: Uint8Array, end: number, total?: number): Uint32Array<ArrayBuffer> {
  if (total !== undefined && total * FEW < end) return fewRows(mask, end, total);
  const rows = new Uint32Array(end);
  let size = 0;
  for (let row = 0; row < end; row++) if (mask[row] === 1) rows[size++] = row;
  return rows.slice(0, size);
}

/** Where one row in so many is wanted, to jump from one to the next is faster than to look at each. */
const FEW = 32;

function fewRows(mask: Uint8Array, end: number, total: number): Uint32Array<ArrayBuffer> {
  const rows = new Uint32Array(total);
  let size = 0;
  for (let row = mask.indexOf(1); row >= 0 && row < end; row = mask.indexOf(1, row + 1)) {
    rows[size++] = row;
  }
  return rows.subarray(0, size);
}

function countOf({ rows, size }: Block, mask: Uint8Array): number {
  let count = 0;
  for (let place = 0; place < size; place++) count += mask[rows[place] ?? 0] ?? 0;
  return count;
}

/** Adds to `page` what a block has; returns how many are left to skip. */
function pick(
  block: Block,
  mask: Uint8Array | undefined,
  skip: number,
  limit: number,
  page: number[],
): number {
  let left = skip;
  for (let place = 0; place < block.size && page.length < limit; place++) {
    const row = block.rows[place] ?? 0;
    if (mask !== undefined && mask[row] !== 1) continue;
    if (left > 0) left--;
    else page.push(row);
  }
  return left;
}

/** The first place for which `before` no longer holds. */
function lowerBound(size: number, before: (place: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
