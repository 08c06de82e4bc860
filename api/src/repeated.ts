/** What follows from texts that come again and again. */

import { LRUCache } from "lru-cache";

/** Texts that are longer are worked out each time: what clients write is not to grow with how much they write. */
const longest = 1024;
/** Results that are kept; the one goes that nobody asked for longest. */
const most = 512;
/** Places for the checksums of texts that came once. A power of two. */
const places = 4096;

/**
 * Keeps what is worked out of a text from the second time on that it comes: 512 results at most, none of more than 1,024 characters; what it keeps is a copy, for a text may be a part of a longer one. Of texts that
 * come once it remembers a checksum alone: were they kept, pages that nobody asked for before would cost a twentieth more. Whoever works something out must do it from the text alone; everybody gets the same, which
 * nobody may change. What throws, or is undefined, is worked out each time.
 */
export class Repeated<T extends object | boolean | undefined> {
  readonly #kept = new LRUCache<string, NonNullable<T>>({ max: most });
  readonly #sums = new Uint32Array(places);

  /** What `make` makes of the text, perhaps made before. */
  of(text: string, make: (text: string) => T): T {
    if (text.length > longest) return make(text);
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    return this.#hasCome(text) ? this.#keep(text, make) : make(text);
  }

  #keep(text: string, make: (text: string) => T): T {
    const own = copyOf(text); // parts of it are parts of what is made
    const made = make(own);
    if (made !== undefined) this.#kept.set(own, made);
    return made;
  }

  /** Whether it came before, and nothing since that has its place. */
  #hasCome(text: string): boolean {
    const sum = sumOf(text);
    const place = sum & (places - 1);
    const hasCome = this.#sums[place] === sum;
    this.#sums[place] = sum;
    return hasCome;
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
