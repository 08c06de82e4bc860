/** Which questions were asked. */

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
 * The last questions, thousands of them, by their hash alone: to remember one takes no memory of its own, which V8 would have to look through again and again. That another one is
 * taken for it happens once in four billion times.
 */
export class AskedQuestions {
  readonly #tags = new Uint32Array(places);
  readonly #times = new Float64Array(places);
  readonly #lengths = new Float64Array(places);

  /** A question, in one state of what it is about. */
  find(question: string, state: string): Known | undefined {
    const place = placeOf(question, state);
    if (this.#tags[place] !== tagOf(question, state)) return undefined;
    return { at: this.#times[place] ?? 0, length: this.#lengths[place] ?? 0 };
  }

  enter(question: string, state: string, { at, length }: Known): void {
    const place = placeOf(question, state);
    this.#tags[place] = tagOf(question, state);
    this.#times[place] = at;
    this.#lengths[place] = length;
  }
}

function placeOf(question: string, state: string): number {
  return hashOf(state, hashOf(question, seeds.place)) & (places - 1);
}

/** Never 0, which stands for none. */
function tagOf(question: string, state: string): number {
  return hashOf(state, hashOf(question, seeds.tag)) || 1;
}

/** What makes two hashes of one text: any two numbers do. */
const seeds = { place: 0x811c9dc5, tag: 0x9e3779b9 };

/** 32-bit FNV-1a of UTF-16 units, its bits mixed at the end: lower ones tell less. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
