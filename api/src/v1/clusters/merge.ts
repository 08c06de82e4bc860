/** Puts what several clusters have in order into one order. Pure. */

/** Takes the first of each list, as `compare` has it; of equal ones that of the earlier list. Costs what it takes, times the lists. */
export function* merged<T>(
  lists: readonly (readonly T[])[],
  compare: (a: T, b: T) => number,
): Generator<{ readonly list: number; readonly item: T }, void> {
  const places = lists.map(() => 0);
  for (;;) {
    let best: { readonly list: number; readonly item: T } | undefined;
    for (const [list, items] of lists.entries()) {
      const item = items[places[list] ?? 0];
      if (item === undefined) continue;
      if (best === undefined || compare(item, best.item) < 0) best = { list, item };
    }
    if (best === undefined) return;
    places[best.list] = (places[best.list] ?? 0) + 1;
    yield best;
  }
}

/** Negative when the first of two tuples comes first; what differs first decides. */
export function compareTuples(
  a: readonly (number | string)[],
  b: readonly (number | string)[],
): number {
  for (const [index, value] of a.entries()) {
    const other = b[index];
    if (other === undefined || value === other) continue;
    return value < other ? -1 : 1;
  }
  return 0;
}
