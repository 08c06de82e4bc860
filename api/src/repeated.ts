/** What follows from texts that come again and again. */

/** Texts that are longer are worked out each time: what clients write is not to grow with how much they write. */
const longest = 1024;
/** A power of two. */
const places = 512;
/** Characters at the end of a text by which its place is found: most that come differ there. */
const told = 24;

/**
 * Keeps what was worked out of a text from the second time on that it comes, for the third. Of two texts that have the same place the later one is kept. It holds 512 at most, none of more than 1,024 characters; of
 * texts that come once it holds a number each. Whoever works something out must do it from the text alone; everybody gets the same object, which nobody may change. What throws is worked out again.
 */
export class Repeated<T> {
  readonly #sums = new Uint32Array(places);
  readonly #texts: string[] = Array.from({ length: places }, () => "");
  readonly #results: (T | undefined)[] = Array.from({ length: places }, () => undefined);

  /** What `make` makes of the text, perhaps made before. */
  of(text: string, make: (text: string) => T): T {
    const sum = sumOf(text);
    const place = sum & (places - 1);
    const known = this.#texts[place] === text ? this.#results[place] : undefined;
    if (known !== undefined) return known;
    const made = make(text);
    if (this.#sums[place] === sum && text.length <= longest) this.#keep(place, text, made);
    this.#sums[place] = sum;
    return made;
  }

  #keep(place: number, text: string, made: T): void {
    this.#texts[place] = text;
    this.#results[place] = made;
  }
}

/** Of its length and its end; FNV-1a. */
function sumOf(text: string): number {
  let sum = 0x811c9dc5 ^ text.length;
  for (let at = Math.max(0, text.length - told); at < text.length; at++)
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
}
