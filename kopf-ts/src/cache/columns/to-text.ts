/** The text that a column keeps of a value: of anything, in bounded time, space and stack. */

/** The longest text, in UTF-16 units. */
export const longest: number = 64 * 1024;
/** Arrays and objects within each other. */
const DEEPEST = 64;

/**
 * The text of a value, undefined when it is absent: strings as they are, arrays joined by `|`, anything else as JSON. Users put into objects what
 * they like, and functions return what they like: a text is cut after 64 Ki characters, and null stands for what lies deeper than 64 levels,
 * so that even a value that contains itself has a text.
 */
export function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.length > longest ? cut(value) : value;
  const plain = plainOf(value);
  if (typeof plain !== "object" || plain === null) {
    return Object.is(plain, value) ? String(value) : scalarText(plain);
  }
  return new Writer().write(plain);
}

/** An array or object that is being written. */
interface Frame {
  readonly value: object;
  /** Of an object; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  /** As JSON; else joined by `|`. */
  readonly json: boolean;
  /** The next member. */
  at: number;
  /** Something was written already. */
  begun: boolean;
}

class Writer {
  readonly #pieces: string[] = [];
  readonly #stack: Frame[] = [];
  #left = longest;

  write(root: object): string {
    this.#open(root, !Array.isArray(root));
    for (;;) {
      const frame = this.#stack.at(-1);
      if (frame === undefined || this.#left === 0) return this.#pieces.join("");
      if (frame.at < frame.size) this.#member(frame);
      else this.#close(frame);
    }
  }

  #open(value: object, json: boolean): void {
    if (this.#stack.length === DEEPEST) {
      if (json) this.#put("null");
      return;
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const size = Array.isArray(value) ? value.length : (keys?.length ?? 0);
    this.#stack.push({ value, keys, size, json, at: 0, begun: false });
    if (json) this.#put(keys === undefined ? "[" : "{");
  }

  #close({ json, keys }: Frame): void {
    this.#stack.pop();
    if (json) this.#put(keys === undefined ? "]" : "}");
  }

  #member(frame: Frame): void {
    const { keys, json } = frame;
    const name = keys?.[frame.at] ?? frame.at;
    frame.at++;
    const own: unknown = Reflect.get(frame.value, name);
    const value = plainOf(own);
    if (keys !== undefined && !isJson(value)) return;
    if (frame.begun) this.#put(json ? "," : "|");
    frame.begun = true;
    if (keys !== undefined) this.#put(`${JSON.stringify(name)}:`);
    if (typeof value === "object" && value !== null)
      this.#open(value, json || !Array.isArray(value));
    else this.#put(json || !Object.is(value, own) ? scalarText(value) : (toText(value) ?? ""));
  }

  #put(text: string): void {
    const piece = text.length > this.#left ? text.slice(0, this.#left) : text;
    this.#left -= piece.length;
    this.#pieces.push(piece);
  }
}

/** As JSON.stringify: what has a JSON form of its own, as dates do, is that. */
function plainOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? value.toJSON() : value;
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** JSON of what is no array or object. */
function scalarText(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string" && value.length > longest) return JSON.stringify(cut(value));
  return JSON.stringify(value) ?? "null";
}

/** A part of a text keeps all of it alive; through JSON it becomes a text of its own. */
function cut(text: string): string {
  return JSON.parse(JSON.stringify(text.slice(0, longest)));
}
