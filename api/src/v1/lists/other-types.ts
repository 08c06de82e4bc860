/** What a list was read from beside the objects of its own type. */

import type { Collection } from "../collections/collection.ts";

/** Where objects of another type are read. */
type Read = Pick<Collection, "cache" | "gone">;

/** Other types, in the state in which their objects were read. */
export class OtherTypes {
  readonly #read: (Pick<Read, "gone"> & {
    readonly cache: WeakRef<Read["cache"]>;
    readonly revision: number;
  })[] = [];

  /** Objects of a type are read in this turn of the event loop. */
  add({ cache, gone }: Read): void {
    this.#read.push({ cache: new WeakRef(cache), gone, revision: cache.revision });
  }

  /** Whether they would be read just so now. */
  get areSame(): boolean {
    return this.#read.every(
      ({ cache, gone, revision }) => !gone.aborted && cache.deref()?.revision === revision,
    );
  }
}
