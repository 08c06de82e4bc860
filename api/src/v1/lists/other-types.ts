/** What a list was read from beside the objects of its own type. */

import type { Collection } from "../collections/collection.ts";

/** Where objects of another type are read. */
type Read = Pick<Collection, "cache" | "gone">;

/** Other types, in the state in which their objects were read. */
export class OtherTypes {
  readonly #read: { readonly from: Read; readonly revision: number }[] = [];

  /** Objects of a type are read in this turn of the event loop. */
  add(from: Read): void {
    this.#read.push({ from, revision: from.cache.revision });
  }

  /** Whether they would be read just so now. */
  get areSame(): boolean {
    return this.#read.every(
      ({ from: { cache, gone }, revision }) => !gone.aborted && cache.revision === revision,
    );
  }
}
