/** Deflated items, to be put one behind the other. */

import { behind, type Deflated, inOne, joined, sizeOfBlocks, stored } from "../pieces/gzip.ts";

/** A deflated item, whose metadata.fields come and go: they stay the same for seconds at least, and all else for longer. */
export class PackedForm {
  readonly #head: Deflated;
  readonly #tail: Deflated | undefined;
  #fields: Deflated | undefined;
  #item: Deflated | undefined;

  /** What is before the fields, and what is behind them; no tail, where they are not told apart. */
  constructor(head: Deflated, tail: Deflated | undefined) {
    this.#head = inOne(joined(comma, head));
    this.#tail = tail;
  }

  /** Of memory, roughly. */
  get size(): number {
    return overhead + sizeOfBlocks(this.#head) + (this.#tail ? sizeOfBlocks(this.#tail) : 0);
  }

  /** With these fields, and a comma before it. */
  with(fields: Deflated | undefined): Deflated {
    if (this.#item === undefined || this.#fields !== fields) {
      this.#item = this.#join(fields);
      this.#fields = fields;
    }
    return this.#item;
  }

  /** Not copied into one piece: of objects made lately the fields change every second, and what was joined before would lie about until the whole heap is collected. */
  #join(fields: Deflated | undefined): Deflated {
    const [head, tail] = [this.#head, this.#tail];
    return fields === undefined || tail === undefined ? head : joined(head, fields, tail);
  }
}

const comma = stored(Buffer.from(","));

/** An item without its comma, as the first of its list. */
export function asFirst(item: Deflated): Deflated {
  return behind(comma, item);
}

/** Of what is not blocks, in bytes. */
const overhead = 800;
