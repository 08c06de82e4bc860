/** Which questions were asked. */

import { crc32 } from "node:zlib";

/** How many there is place for; of two that have the same place the later one is known. A power of two. */
const places = 32 * 1024;

/** What is known of a question. */
export interface Known {
  /** When it was asked the last time, in milliseconds of the monotonic clock. */
  readonly at: number;
  /** Of its answer, in bytes. */
  readonly length: number;
}

/**
 * The last questions, thousands of them, by their checksum alone: to remember one takes no memory of its own, which V8 would have to look through again and again. Once in some hundred
 * thousand times another one is taken for it: its answer is then expected to be as long, and kept the first time.
 */
export class AskedQuestions {
  readonly #sums = new Uint32Array(places);
  readonly #times = new Float64Array(places);
  readonly #lengths = new Float64Array(places);

  /** A question, in one state of what it is about; undefined for one that is not known. */
  find(question: string, state: string): Known | undefined {
    const sum = sumOf(question, state);
    const place = placeOf(sum);
    if (this.#sums[place] !== sum) return undefined;
    return { at: this.#times[place] ?? 0, length: this.#lengths[place] ?? 0 };
  }

  /** It was asked, in that state. */
  enter(question: string, state: string, { at, length }: Known): void {
    const sum = sumOf(question, state);
    const place = placeOf(sum);
    this.#sums[place] = sum;
    this.#times[place] = at;
    this.#lengths[place] = length;
  }
}

/** Never 0, which stands for none. */
function sumOf(question: string, state: string): number {
  return crc32(`${question} ${state}`) || 1;
}

function placeOf(sum: number): number {
  return sum & (places - 1);
}
