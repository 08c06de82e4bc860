/** Counts of objects by namespace, kept while objects come, change and go. */

import type { Standing, Tally } from "./inventory.ts";

class Counted implements Tally {
  count = 0;
  errors = 0;
  transitioning = 0;
  inProgress = 0;

  add({ error, transitioning }: Standing, step: 1 | -1): void {
    this.count += step;
    if (error) this.errors += step;
    if (transitioning) this.transitioning += step;
    if (transitioning && !error) this.inProgress += step;
  }
}

/** The tallies of one type. A namespace without objects has none. */
export class Tallies {
  readonly #total = new Counted();
  readonly #namespaces = new Map<string, Counted>();

  get total(): Tally {
    return this.#total;
  }

  get namespaces(): ReadonlyMap<string, Tally> {
    return this.#namespaces;
  }

  add(namespace: string, standing: Standing): void {
    this.#total.add(standing, 1);
    if (namespace === "") return;
    const known = this.#namespaces.get(namespace) ?? new Counted();
    known.add(standing, 1);
    this.#namespaces.set(namespace, known);
  }

  remove(namespace: string, standing: Standing): void {
    this.#total.add(standing, -1);
    const known = this.#namespaces.get(namespace);
    known?.add(standing, -1);
    if (known?.count === 0) this.#namespaces.delete(namespace);
  }
}

/** Adds up single objects. */
export function tallyOf(standings: Iterable<Standing>): Tally {
  const tally = new Counted();
  for (const standing of standings) tally.add(standing, 1);
  return tally;
}

/** The sum of tallies. */
export function sumOf(tallies: Iterable<Tally>): Tally {
  const sum = new Counted();
  for (const { count, errors, transitioning, inProgress } of tallies) {
    sum.count += count;
    sum.errors += errors;
    sum.transitioning += transitioning;
    sum.inProgress += inProgress;
  }
  return sum;
}
