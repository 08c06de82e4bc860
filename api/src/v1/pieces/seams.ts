/** Finds, in the bytes of an object, the places where something of ours goes in, without making anything of the rest. */

/** A closing brace, and whether a comma is needed before what is put in front of it. */
export interface Seam {
  readonly at: number;
  readonly isEmpty: boolean;
}

/** Bytes from one position up to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The places in an object. */
export interface Seams {
  /** Behind the opening brace. */
  readonly start: number;
  /** Top-level keys that have names which are ours: positions of their first letters. */
  readonly taken: readonly number[];
  /** The end of `metadata`; undefined for an object without. */
  readonly metadata: Seam | undefined;
  /** `"managedFields":[...]`, without a comma at either end. */
  readonly managedFields: Range | undefined;
  /** `"fields":[...]` in `metadata`, likewise; no object of Kubernetes has them, but a cache may keep cells there. */
  readonly fields: Range | undefined;
  /** `"release":"..."` in `data`, likewise: what Helm keeps there may be a thousand times as long as the rest. */
  readonly release: Range | undefined;
  /** The ends of the objects in `status.conditions`; what else is in that list has none. */
  readonly conditions: readonly Seam[];
}

/** Bytes that are no JSON object. */
export class MalformedObject extends Error {
  override readonly name = "MalformedObject";
}

/** Keys that answers have for themselves (apiserver: pkg/writer/encoding.go). */
const ours: readonly string[] = ["id", "type", "links", "actions"];

/** Looks at each byte once. Throws MalformedObject for bytes that are no object as far as it looks. */
export function seamsOf(bytes: Buffer): Seams {
  const cursor = new Cursor(bytes);
  const taken: number[] = [];
  const conditions: Seam[] = [];
  let metadata: Seam | undefined;
  let managedFields: Range | undefined;
  let fields: Range | undefined;
  let release: Range | undefined;
  const whole = cursor.members((key) => {
    if (ours.some((name) => key.is(name))) taken.push(key.at);
    if (key.is("metadata") && cursor.sees(openBrace)) metadata = cursor.members(inMetadata);
    else if (key.is("data") && cursor.sees(openBrace)) cursor.members(inData);
    else if (key.is("status") && cursor.sees(openBrace)) cursor.members(inStatus);
    else cursor.skip();
  });
  function inMetadata(key: Key): void {
    cursor.skip();
    if (key.is("managedFields")) managedFields = { from: key.at - 1, to: cursor.at };
    else if (key.is("fields")) fields = { from: key.at - 1, to: cursor.at };
  }
  function inData(key: Key): void {
    cursor.skip();
    if (key.is("release")) release = { from: key.at - 1, to: cursor.at };
  }
  function inStatus(key: Key): void {
    if (key.is("conditions") && cursor.sees(openBracket)) cursor.items(inConditions);
    else cursor.skip();
  }
  function inConditions(): void {
    if (cursor.sees(openBrace)) conditions.push(cursor.members(skip));
    else cursor.skip();
  }
  function skip(): void {
    cursor.skip();
  }
  return { start: whole.start, taken, metadata, managedFields, fields, release, conditions };
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bytes that are looked at one by one before the rest is searched. */
const nearby = 32;
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];

/** A key of an object: where its first letter is, and whether it is a certain one. */
interface Key {
  readonly at: number;
  is(name: string): boolean;
}

/** Goes through JSON, value by value. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** How far it has come. */
  get at(): number {
    return this.#at;
  }

  /** Whether the next value begins with this byte. */
  sees(byte: number): boolean {
    this.#space();
    return this.#bytes[this.#at] === byte;
  }

  /** Goes through an object; the listener has to go through each value. */
  members(listener: (key: Key) => void): Seam & { readonly start: number } {
    this.#take(openBrace);
    const start = this.#at;
    let isEmpty = true;
    while (!this.sees(closeBrace)) {
      if (!isEmpty) this.#take(comma);
      isEmpty = false;
      const key = this.#key();
      this.#take(colon);
      listener(key);
    }
    return { start, isEmpty, at: this.#at++ };
  }

  /** Goes through a list; the listener has to go through each item. */
  items(listener: () => void): void {
    this.#take(openBracket);
    for (let index = 0; !this.sees(closeBracket); index++) {
      if (index > 0) this.#take(comma);
      listener();
    }
    this.#at++;
  }

  /** Passes one value, however deep. */
  skip(): void {
    let depth = 0;
    do {
      this.#space();
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw this.#malformed();
      if (byte === quote) this.#string();
      else if (byte === openBrace || byte === openBracket)
        [depth, this.#at] = [depth + 1, this.#at + 1];
      else if (byte === closeBrace || byte === closeBracket)
        [depth, this.#at] = [depth - 1, this.#at + 1];
      else if (byte === comma || byte === colon) this.#at++;
      else this.#word();
    } while (depth > 0);
  }

  #key(): Key {
    this.#space();
    const bytes = this.#bytes;
    const at = this.#at + 1;
    this.#string();
    const end = this.#at - 1;
    return {
      at,
      is: (name) => end - at === name.length && bytes.toString("latin1", at, end) === name,
    };
  }

  /** Passes a text: up to the quote that no backslash stands before. */
  #string(): void {
    if (this.#bytes[this.#at] !== quote) throw this.#malformed();
    for (let at = this.#at + 1; ; at++) {
      at = this.#quoteFrom(at);
      if (at < 0) throw this.#malformed();
      if (!this.#isEscaped(at)) {
        this.#at = at + 1;
        return;
      }
    }
  }

  /** Quotes that follow each other closely, as in JSON that is kept in a text, are found faster than a search begins. */
  #quoteFrom(at: number): number {
    const end = Math.min(at + nearby, this.#bytes.length);
    for (let near = at; near < end; near++) if (this.#bytes[near] === quote) return near;
    return this.#bytes.indexOf(quote, end);
  }

  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#bytes[first - 1] === backslash) first--;
    return (at - first) % 2 === 1;
  }

  /** Passes a number or a name. */
  #word(): void {
    const begin = this.#at;
    while (isWord(this.#bytes[this.#at])) this.#at++;
    if (this.#at === begin) throw this.#malformed();
  }

  #take(byte: number): void {
    if (!this.sees(byte)) throw this.#malformed();
    this.#at++;
  }

  #space(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++;
  }

  #malformed(): MalformedObject {
    return new MalformedObject(`no JSON object: byte ${this.#at} of ${this.#bytes.length}`);
  }
}

/** Whether JSON allows the byte between any two tokens. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Letters, digits, `+`, `-`, `.`. */
function isWord(byte = 0): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x45 ||
    (byte >= 0x2b && byte <= 0x2e && byte !== comma)
  );
}
