/** Where present states are read from when somebody asks, instead of being told at each change. */

import type { Labels } from "./series.ts";

/** All sources that end in the same series. */
export interface SourceGroup<Source> {
  readonly labels: Labels;
  readonly sources: readonly Source[];
}

/** Sources grouped by the labels of their series. */
export class Sources<Source> {
  readonly #groups = new Map<string, { labels: Labels; sources: readonly Source[] }>();
  readonly #onEmpty: (labels: Labels) => void;

  /** `onEmpty` is called when the last source of a group is gone. */
  constructor(onEmpty: (labels: Labels) => void) {
    this.#onEmpty = onEmpty;
  }

  /** Adds a source until the result is disposed. */
  add(labels: Labels, source: Source): Disposable {
    const key = JSON.stringify(labels);
    const group = this.#groups.get(key) ?? { labels, sources: [] };
    this.#groups.set(key, group);
    group.sources = [...group.sources, source];
    return once(() => {
      group.sources = group.sources.filter((each) => each !== source);
      if (group.sources.length > 0) return;
      this.#groups.delete(key);
      this.#onEmpty(labels);
    });
  }

  groups(): Iterable<SourceGroup<Source>> {
    return this.#groups.values();
  }
}

/** Calls `fn` at the first disposal only. */
export function once(fn: () => void): Disposable {
  let called = false;
  return {
    [Symbol.dispose]: () => {
      if (called) return;
      called = true;
      fn();
    },
  };
}
