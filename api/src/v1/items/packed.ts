/** Deflated items, to be put one behind the other. */

import { behind, type Deflated, joined, stored } from "../pieces/gzip.ts";

/** A deflated item, whose metadata.fields come and go: they stay the same for seconds at least, and all else for longer. */
export class PackedForm {
  #head: Deflated;
  #tail: Deflated | undefined;
  #fields: Deflated | undefined;
  #item: Deflated | undefined;

  /** What is before the fields, and what is behind them; no tail, where they are not told apart. */
  constructor(head: Deflated, tail: Deflated | undefined) {
    this.#head = joined(comma, head);
    this.#tail = tail;
  }

  /** Of memory, roughly. */
  get size(): number {
    const halves = this.#head.blocks.length + (this.#tail?.blocks.length ?? 0);
    return overhead + (this.#item?.blocks.length ?? halves);
  }

  /** With these fields, and a comma before it. */
  with(fields: Deflated | undefined): Deflated {
    if (this.#item === undefined || this.#fields !== fields) {
      this.#item = this.#join(fields);
      this.#fields = fields;
    }
    return this.#item;
  }

  /** All is in one piece, which is copied in one go; what it was made of is looked up in it from here on. */
  #join(fields: Deflated | undefined): Deflated {
    const [head, tail] = [this.#head, this.#tail];
    if (fields === undefined || tail === undefined) return head;
    const item = joined(head, fields, tail);
    this.#head = { ...head, blocks: item.blocks.subarray(0, head.blocks.length) };
    this.#tail = { ...tail, blocks: item.blocks.subarray(-tail.blocks.length) };
    return item;
  }
}

const comma = stored(Buffer.from(","));

/** An item without its comma, as the first of its list. */
export function asFirst(item: Deflated): Deflated {
  return behind(comma, item);
}

/** Of what is not blocks, in bytes. */
const overhead = 800;
