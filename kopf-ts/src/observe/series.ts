/**
 * Metrics as plain numbers, turned into samples only when somebody reads them. prom-client's own series look up labels with every value, and
 * a bucket by its decimal text: 3 us where a queue spends 1 us on a key.
 */

import type { Family } from "./families.ts";

/** Values of a metric's labels, by name. */
export type Labels = Readonly<Record<string, string>>;

/** One series of a counter. Throws a TypeError for what would not let it go up. */
export interface Counter {
  inc(by?: number): void;
}

/** One series of a gauge. Throws a TypeError for what is no finite number. */
export interface Gauge {
  set(value: number): void;
  inc(by?: number): void;
  dec(by?: number): void;
}

/** One series of a histogram. Throws a TypeError for what is no finite number. */
export interface Histogram {
  observe(value: number): void;
}

/** A metric and its series. */
export interface Vector<Series> {
  /** The series with these label values; made when first asked for. Throws a TypeError for labels that the metric does not have. */
  with(labels?: Labels): Series;
  /** Forgets the series with these label values. */
  remove(labels: Labels): void;
  /** Forgets every series that carries these label values, whatever its others. One that is still held and used comes back (and can be forgotten again). */
  removeAll(labels: Labels): void;
}

/** One line of the text form. */
export interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The numbers of one series. */
interface Cell {
  readonly labels: Labels;
  /** The series was forgotten; who still holds this has to look for its successor. */
  forgotten: boolean;
  /** Of a counter or gauge; of a histogram the sum of all values. */
  value: number;
  /** Of a histogram: how many values fell into each bucket; behind the last bound, those above all of them. */
  readonly buckets: number[];
}

/** The series of one metric. `make` gives a series the way to its cell. */
export class SeriesOf<Series> implements Vector<Series> {
  readonly family: Family;
  readonly #cells = new Map<string, Cell>();
  readonly #make: (cell: () => Cell, family: Family) => Series;

  constructor(family: Family, make: (cell: () => Cell, family: Family) => Series) {
    this.family = family;
    this.#make = make;
  }

  with(labels: Labels = {}): Series {
    this.#check(labels);
    let cell = this.#cellOf(labels);
    const present = (): Cell => {
      if (cell.forgotten) cell = this.#cellOf(labels);
      return cell;
    };
    return this.#make(present, this.family);
  }

  remove(labels: Labels): void {
    const key = this.#keyOf(labels);
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.forgotten = true;
    this.#cells.delete(key);
  }

  removeAll(wanted: Labels): void {
    const names = Object.keys(wanted);
    for (const { labels } of [...this.#cells.values()]) {
      if (names.every((name) => labels[name] === wanted[name])) this.remove(labels);
    }
  }

  /** What the text form shows of it now. */
  samples(): readonly Sample[] {
    const { name, buckets } = this.family;
    const cells = [...this.#cells.values()];
    return buckets === undefined
      ? cells.map(({ labels, value }) => ({ metricName: name, labels, value }))
      : cells.flatMap((cell) => distribution(name, buckets, cell));
  }

  #cellOf(labels: Labels): Cell {
    const key = this.#keyOf(labels);
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    const size = this.family.buckets === undefined ? 0 : this.family.buckets.length + 1;
    const buckets = new Array<number>(size).fill(0);
    const cell = { labels: { ...labels }, forgotten: false, value: 0, buckets };
    this.#cells.set(key, cell);
    return cell;
  }

  #keyOf(labels: Labels): string {
    let key = "";
    for (const name of this.family.labels) key += `${labels[name] ?? ""}\u0000`;
    return key;
  }

  #check(labels: Labels): void {
    const { name, labels: known } = this.family;
    const unknown = Object.keys(labels).filter((label) => !known.includes(label));
    if (unknown.length === 0) return;
    throw new TypeError(`metric ${name} has the labels ${known.join()}, not ${unknown.join()}`);
  }
}

/** Counts up. */
export function counterOf(cell: () => Cell): Counter {
  return {
    inc: (by = 1) => {
      if (!(by >= 0)) throw new TypeError(`a counter cannot go up by ${by}`);
      cell().value += finite(by);
    },
  };
}

/** Goes up and down. */
export function gaugeOf(cell: () => Cell): Gauge {
  return {
    set: (value) => {
      cell().value = finite(value);
    },
    inc: (by = 1) => {
      cell().value += finite(by);
    },
    dec: (by = 1) => {
      cell().value -= finite(by);
    },
  };
}

/** Counts values by the bounds of its family. */
export function histogramOf(cell: () => Cell, { buckets: bounds = [] }: Family): Histogram {
  return {
    observe: (value) => {
      const own = cell();
      own.value += finite(value);
      let at = 0;
      while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at += 1;
      own.buckets[at] = (own.buckets[at] ?? 0) + 1;
    },
  };
}

/** Buckets with everything below their bounds, the sum and the count. */
function distribution(name: string, bounds: readonly number[], cell: Cell): readonly Sample[] {
  let count = 0;
  const buckets = [...bounds, "+Inf"].map((le, at) => {
    count += cell.buckets[at] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...cell.labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: cell.labels, value: cell.value },
    { metricName: `${name}_count`, labels: cell.labels, value: count },
  ];
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new TypeError(`${value} cannot be the value of a metric`);
}
