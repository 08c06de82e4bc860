/** Sorting row numbers in ways that never hold up the event loop for long. */

/** Below zero when row `a` comes before row `b`; never zero for two rows. */
export type Compare = (a: number, b: number) => number;

/** Rows sorted at once before merging. */
const RUN = 512;
/** Rows merged in one step. */
const STEP = 2048;

/**
 * Merge sort of numbers that stand for something, in steps of about a millisecond. Rows may change between steps: those that `dropped` names are never
 * compared and left out, so the rest comes out in order whatever happened to them.
 */
export function* mergeSort(
  rows: Uint32Array,
  compare: Compare,
  dropped: (row: number) => boolean = () => false,
): Generator<void, Uint32Array, void> {
  let runs: Uint32Array[] = [];
  for (let start = 0; start < rows.length; start += RUN) {
    runs.push(rows.subarray(start, start + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Uint32Array[] = [];
    for (let run = 0; run < runs.length; run += 2) {
      merged.push(yield* merge(runs[run], runs[run + 1], compare, dropped));
    }
    runs = merged;
  }
  return (runs[0] ?? rows).filter((row) => !dropped(row));
}

const NONE = new Uint32Array(0);

function* merge(
  left: Uint32Array = NONE,
  right: Uint32Array = NONE,
  compare: Compare,
  dropped: (row: number) => boolean,
): Generator<void, Uint32Array, void> {
  const out = new Uint32Array(left.length + right.length);
  let size = 0;
  let l = 0;
  let r = 0;
  for (;;) {
    if ((l + r + 1) % STEP === 0) yield;
    l = past(left, l, dropped);
    r = past(right, r, dropped);
    const a = left[l];
    const b = right[r];
    if (a !== undefined && (b === undefined || compare(a, b) < 0)) {
      out[size++] = a;
      l++;
    } else if (b !== undefined) {
      out[size++] = b;
      r++;
    } else {
      return out.subarray(0, size);
    }
  }
}

/** The first place from `at` on whose row counts. */
function past(rows: Uint32Array, at: number, dropped: (row: number) => boolean): number {
  let place = at;
  while (dropped(rows[place] ?? -1)) place++;
  return place;
}

/**
 * The rows from `offset` to `offset + limit` of the sorted order, without sorting the rest: time grows with the number of rows whatever the
 * offset. May reorder `rows`.
 */
export function selectPage(
  rows: Uint32Array,
  compare: Compare,
  offset: number,
  limit: number,
): Uint32Array {
  const start = Math.min(offset, rows.length);
  const end = Math.min(start + limit, rows.length);
  if (end * 8 < rows.length) return smallest(rows, compare, end).subarray(start);
  const tail = rows.subarray(start === 0 ? 0 : partition(rows, compare, start));
  const page = end < rows.length ? tail.subarray(0, partition(tail, compare, end - start)) : tail;
  return page.sort(compare);
}

/** The first `count` rows in order: one look at each row, and a few at those that are among the best so far. */
function smallest(rows: Uint32Array, compare: Compare, count: number): Uint32Array {
  const best = new Uint32Array(Math.max(2 * count, 64));
  let size = 0;
  let worst: number | undefined;
  for (const row of rows) {
    if (worst !== undefined && compare(row, worst) > 0) continue;
    best[size++] = row;
    if (size < best.length) continue;
    size = partition(best, compare, count);
    worst = last(best.subarray(0, size), compare);
  }
  return best.subarray(0, size).sort(compare).subarray(0, count);
}

/** The row that comes after all others, undefined when there is none. */
function last(rows: Uint32Array, compare: Compare): number | undefined {
  let found = rows[0];
  for (const row of rows) if (found !== undefined && compare(row, found) > 0) found = row;
  return found;
}

/** Reorders `rows` so that its first `count` are the smallest; returns `count`. */
function partition(rows: Uint32Array, compare: Compare, count: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const [i, j] = split(rows, compare, low, high);
    if (count <= j) high = j;
    else if (count >= i) low = i;
    else break;
  }
  return count;
}

/** Hoare's partition: what stands before `i` is not above what stands behind `j`. */
function split(rows: Uint32Array, compare: Compare, low: number, high: number): [number, number] {
  const pivot = rows[low + Math.floor(Math.random() * (high - low + 1))] ?? 0;
  let i = low;
  let j = high;
  while (i <= j) {
    while (compare(rows[i] ?? 0, pivot) < 0) i++;
    while (compare(pivot, rows[j] ?? 0) < 0) j--;
    if (i <= j) swap(rows, i++, j--);
  }
  return [i, j];
}

function swap(rows: Uint32Array, i: number, j: number): void {
  const kept = rows[i] ?? 0;
  rows[i] = rows[j] ?? 0;
  rows[j] = kept;
}
