/** What follows from texts that come again and again. */

/** Texts that are longer are worked out each time: what clients write is not to grow with how much they write. */
const longest = 1024;
/** A power of two. */
const places = 512;

/** A text that came twice, and what was made of it. */
interface Kept<T> {
  readonly text: string;
  readonly made: T;
}

/**
 * Keeps what is worked out of a text from the second time on that it comes. Of two texts that have the same place the later one is kept. It holds 512 at most, none of more than 1,024 characters, and a number for each place;
 * what it keeps is a copy, for a text may be a part of a longer one. Whoever works something out must do it from the text alone; everybody gets the same, which nobody may change. What throws, or is
 * undefined, is worked out each time.
 */
export class Repeated<T> {
  readonly #sums = new Uint32Array(places);
  readonly #kept: (Kept<T> | undefined)[] = Array.from({ length: places }, () => undefined);

  /** What `make` makes of the text, perhaps made before. */
  of(text: string, make: (text: string) => T): T {
    if (text.length > longest) return make(text);
    const sum = sumOf(text);
    const place = sum & (places - 1);
    const kept = this.#kept[place];
    if (kept?.text === text) return kept.made;
    const isSecond = this.#sums[place] === sum;
    this.#sums[place] = sum;
    return isSecond ? this.#keep(place, text, make) : make(text);
  }

  #keep(place: number, text: string, make: (text: string) => T): T {
    const own = copyOf(text); // parts of it are parts of what is made
    const made = make(own);
    if (made !== undefined) this.#kept[place] = { text: own, made };
    return made;
  }
}

/** V8 keeps a part of a text as a reference to all of it, and texts of bytes in half the room. */
function copyOf(text: string): string {
  const encoding = hasBytes.test(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}

const hasBytes = /^[\0-\xff]*$/;

/** FNV-1a; its higher bits count where the place is taken from. */
function sumOf(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
}
