/** Deflated items, to be put one behind the other. */

import { type Deflated, joined, stored } from "../pieces/gzip.ts";

/** An item of a list of JSON, with a comma before it. */
export interface Packed extends Deflated {
  /** Without the comma, as the first of its list. */
  readonly first: Deflated;
}

/** A deflated item, whose metadata.fields come and go: they stay the same for seconds at least, and all else for longer. */
export class PackedForm {
  #head: Deflated;
  #tail: Deflated | undefined;
  #fields: Deflated | undefined;
  #item: Packed | undefined;

  /** What is before the fields, and what is behind them; no tail, where they are not told apart. */
  constructor(head: Deflated, tail: Deflated | undefined) {
    this.#head = head;
    this.#tail = tail;
  }

  /** Of memory, roughly. */
  get size(): number {
    const halves = this.#head.blocks.length + (this.#tail?.blocks.length ?? 0);
    return overhead + (this.#item?.blocks.length ?? halves);
  }

  /** With these fields. */
  with(fields: Deflated | undefined): Packed {
    if (this.#item === undefined || this.#fields !== fields) {
      this.#item = this.#join(fields);
      this.#fields = fields;
    }
    return this.#item;
  }

  /** All is in one piece, which is copied in one go; what it was made of is looked up in it from here on. */
  #join(fields: Deflated | undefined): Packed {
    const [head, tail] = [this.#head, this.#tail];
    const alone = fields && tail ? joined(head, fields, tail) : head;
    const next = joined(comma, alone);
    const first = { ...alone, blocks: next.blocks.subarray(comma.blocks.length) };
    this.#head = { ...head, blocks: first.blocks.subarray(0, head.blocks.length) };
    if (tail) this.#tail = { ...tail, blocks: first.blocks.subarray(-tail.blocks.length) };
    return { ...next, first };
  }
}

const comma = stored(Buffer.from(","));

/** Of what is not blocks, in bytes. */
const overhead = 800;
