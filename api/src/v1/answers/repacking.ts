/** Items that are sent again and again, packed in one. */

import type { Counter, Family, Metrics, Vector } from "kopf-ts";
import type { Kept, KeptAnswers } from "./kept-answers.ts";
import { Run } from "./run.ts";

/** How often items are sent before: who asks anew after each change would pay for it each time. */
const often = 32;
/** Fewer bytes are not worth it. */
const least = 128 * 1024;
/** More bytes, as they are without gzip, would take memory that nobody has counted: of some texts a thousandth is left in gzip. */
const most = 16 * 1024 * 1024;

const family = {
  name: "drover_api_response_cache_repacked_total",
  help: "Runs of items that were packed in one (done), or could not be and are sent as they were (failed)",
  labels: ["result"],
} as const satisfies Family;

/**
 * Packs kept items in gzip anew, which were packed each for itself: a page of 100 Pods has 275 KB so, and 74 KB in one. It is done on another thread, for one page at a time, and takes some
 * 6 ms there, as much as is saved by some 40 answers.
 */
export class Repacking {
  readonly #kept: KeptAnswers;
  readonly #results: Vector<Counter> | undefined;
  #isBusy = false;

  constructor(kept: KeptAnswers, metrics?: Metrics) {
    this.#kept = kept;
    this.#results = metrics?.counter(family);
    for (const result of ["done", "failed"]) this.#results?.with({ result }).inc(0);
  }

  /** Something was sent. */
  look(kept: Kept): void {
    const { what, uses } = kept;
    if (uses < often || this.#isBusy || !(what instanceof Run)) return;
    if (isWorthIt(what)) void this.#repack(kept, what);
  }

  /** What is around the items is not kept any longer. They stay as they were where they cannot be packed now. */
  async #repack(kept: Kept, run: Run): Promise<void> {
    this.#isBusy = true;
    kept.uses = 0;
    try {
      using dense = await run.dense();
      if (dense !== undefined) this.#kept.replace(kept, dense);
      this.#results?.with({ result: "done" }).inc();
    } catch {
      this.#results?.with({ result: "failed" }).inc(); // no memory for zlib
    } finally {
      this.#isBusy = false;
    }
  }
}

function isWorthIt({ deflated, isDense, length }: Run): boolean {
  return deflated !== undefined && deflated.length <= most && !isDense && length >= least;
}
