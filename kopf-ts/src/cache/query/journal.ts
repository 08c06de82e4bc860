/** Entries after which the oldest are forgotten. */
const MOST = 4096;

/**
 * Which rows changed lately: came, went, or have another value in some column. Readers who keep what they have found of all rows look again at
 * those alone. A place in the journal is a number that grows with each entry. Costs nothing until somebody asks for a place.
 */
export class Journal {
  /** Made for the first reader. */
  #rows: Uint32Array | undefined;
  #end = 0;
  /** Places before it say nothing. */
  #start = 0;
  /** Somebody has read the last entry. */
  #read = true;

  /** Columns of a row change one after the other: that is one entry, unless somebody read it in between. */
  note(row: number): void {
    if (this.#rows === undefined) return;
    if (!this.#read && this.#rows[(this.#end - 1) % MOST] === row) return;
    this.#rows[this.#end % MOST] = row;
    this.#end++;
    this.#read = false;
  }

  /** The place behind the last entry. */
  mark(): number {
    this.#rows ??= new Uint32Array(MOST);
    this.#read = true;
    return this.#end;
  }

  /** The rows that changed from a place on, some perhaps more than once; undefined when that is not known any more. */
  since(place: number): Uint32Array | undefined {
    if (place < this.#start || this.#end - place > MOST) return undefined;
    const rows = new Uint32Array(this.#end - place);
    for (let at = 0; at < rows.length; at++) rows[at] = this.#rows?.[(place + at) % MOST] ?? 0;
    return rows;
  }

  /** Nobody reads any more; what was read before says nothing. */
  clear(): void {
    this.#rows = undefined;
    this.#start = this.#end + 1;
    this.#end = this.#start;
    this.#read = true;
  }
}
