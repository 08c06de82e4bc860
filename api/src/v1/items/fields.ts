/** metadata.fields: the cells of an object's row in the API server's table. */

import { flatText } from "../flat-text.ts";
import { writeExact } from "../json.ts";
import { type Deflated, stored } from "../pieces/gzip.ts";
import { type Cell, type ShownCell, shown, unchangedFor } from "../printers/cell.ts";

/** In bytes, around what is shown of a changing cell. */
const quote = 1;

/** The cells as JSON, at any time; what is shown of ages is kept until it changes. */
export class Fields {
  /** What stands around the changing cells: always one text more than there are of them. */
  readonly #texts: readonly string[];
  readonly #changing: readonly Cell[];
  #text = "";
  /** For which times, in milliseconds since the Unix epoch, the text is right: from the first to before the second. */
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;
  /** The text in the forms that were asked for, until it changes. */
  #bytes: Buffer | undefined;
  #packed: Deflated | undefined;

  constructor(cells: readonly Cell[]) {
    const texts: string[] = [];
    const changing: Cell[] = [];
    let parts = ['"fields":['];
    for (const [index, cell] of cells.entries()) {
      if (index > 0) parts.push(",");
      if (typeof cell !== "object" || cell === null) {
        parts.push(typeof cell === "bigint" ? String(cell) : JSON.stringify(cell));
      } else {
        texts.push(flatText(...parts));
        changing.push(cell);
        parts = [];
      }
    }
    this.#texts = [...texts, flatText(...parts, "],")];
    this.#changing = changing;
  }

  /** The time, in milliseconds since the Unix epoch, before which the text that was asked for last stays right. */
  get until(): number {
    return this.#until;
  }

  /** How long the text of a time stays right: a later time, or that one where the text is another one by now. */
  untilFrom(now: number): number {
    return now >= this.#from && now < this.#until ? this.#until : now;
  }

  /** `"fields":[...],` at a time, in milliseconds since the Unix epoch. */
  at(now: number): string {
    if (now < this.#from || now >= this.#until) this.#write(now);
    return this.#text;
  }

  /** The same in bytes. */
  bytesAt(now: number): Buffer {
    const text = this.at(now);
    this.#bytes ??= ownBytes(text);
    return this.#bytes;
  }

  /** The same bytes where they are at hand, else such as nobody keeps. */
  bytesOnceAt(now: number): Buffer {
    const text = this.at(now);
    return this.#bytes ?? Buffer.from(text);
  }

  /** The same for bodies in gzip. */
  packedAt(now: number): Deflated {
    const text = this.at(now);
    this.#packed ??= stored(Buffer.from(text));
    return this.#packed;
  }

  /** What changes in the bytes of a time, in their order. */
  changingAt(now: number): readonly ShownCell[] {
    let end = 0;
    return this.#changing.map((cell, index) => {
      const at = end + Buffer.byteLength(this.#texts[index] ?? "") + quote;
      const length = Buffer.byteLength(String(shown(cell, now)));
      end = at + length + quote;
      return { cell, at, length };
    });
  }

  #write(now: number): void {
    let text = this.#texts[0] ?? "";
    let until = Number.POSITIVE_INFINITY;
    for (const [index, cell] of this.#changing.entries()) {
      text += `"${shown(cell, now)}"${this.#texts[index + 1] ?? ""}`;
      until = Math.min(until, now + unchangedFor(cell, now));
    }
    this.#from = now;
    this.#until = until;
    if (text === this.#text) return;
    this.#text = text;
    this.#bytes = undefined;
    this.#packed = undefined;
  }
}

/** One of Node's pool would keep others alive. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** `"fields":[...],` as the API server told the cells; read by `parseExact`. */
export function fieldsAsTold(cells: readonly unknown[]): string {
  return `"fields":${writeExact(cells)},`;
}
