import { parseJson } from "../../kube/index.ts";
import type { TableRows } from "../table.ts";
import { Carry } from "./carry.ts";
import { LONGEST_LINE } from "./lines.ts";
import { ResumableValue } from "./resumable.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from "./skip.ts";

const NOTHING: Buffer = Buffer.alloc(0);

/** Where the splitter is in the list: each name is what comes next. */
type Place = "start" | "key" | "colon" | "value" | "member end" | "item" | "item end" | "done";

/** The part of a list's metadata that paging needs; empty strings when absent. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue: string;
}

/**
 * Cuts the body of a list into its items as the chunks come: `push` a chunk, then call `next` until it returns false; the item is at
 * [start, end) of `bytes`, valid until the next call. Only what spans chunks is copied; no more than one item is held. The list's own members may come in any order.
 * With `rows` a table is a list as well: its items are its rows, and `rows` is told its columns. Throws SyntaxError for what is not a list, RangeError for an item above the limit.
 */
export class ListSplitter {
  bytes: Buffer = NOTHING;
  start = 0;
  end = 0;
  readonly #carry: Carry;
  readonly #rows: TableRows | undefined;
  readonly #value = new ResumableValue();
  #place: Place = "start";
  #key = "";
  #metadata: ListMetadata = { resourceVersion: "", continue: "" };
  #chunk: Buffer = NOTHING;
  #at = 0;

  constructor(limit: number = LONGEST_LINE, rows?: TableRows) {
    this.#carry = new Carry(limit);
    this.#rows = rows;
  }

  /** Whether the list has come to its closing brace. */
  get done(): boolean {
    return this.#place === "done";
  }

  /** Complete only when `done`. */
  get metadata(): ListMetadata {
    return this.#metadata;
  }

  push(chunk: Buffer): void {
    if (this.#at < this.#chunk.length) throw new Error("items of the former chunk were not taken");
    this.#chunk = chunk;
    this.#at = 0;
  }

  next(): boolean {
    while (this.#toToken()) {
      if (this.#step(this.#chunk[this.#at] ?? 0)) return true;
    }
    this.#chunk = this.bytes = NOTHING;
    this.#at = this.start = this.end = 0;
    return false;
  }

  /** Moves over white space, unless in the middle of a value; false at the end of the chunk. */
  #toToken(): boolean {
    if (!this.#value.begun) this.#at = skipSpace(this.#chunk, this.#at, this.#chunk.length);
    return this.#at < this.#chunk.length;
  }

  /** Takes one token or value; true when it is an item that is now complete. */
  #step(byte: number): boolean {
    switch (this.#place) {
      case "start":
        this.#expect(byte === OPEN_BRACE, "key");
        break;
      case "key":
        this.#takeKey(byte);
        break;
      case "colon":
        this.#expect(byte === COLON, "value");
        break;
      case "value":
        this.#takeValue(byte);
        break;
      case "member end":
        if (byte === CLOSE_BRACE) this.#expect(true, "done");
        else this.#expect(byte === COMMA, "key");
        break;
      case "item":
        return this.#takeItem(byte);
      case "item end":
        if (byte === CLOSE_BRACKET) this.#expect(true, "member end");
        else this.#expect(byte === COMMA, "item");
        break;
      case "done":
        throw new SyntaxError("the list goes on behind its end");
    }
    return false;
  }

  #expect(holds: boolean, next: Place): void {
    if (!holds) throw new SyntaxError(`not a list: unexpected byte before its ${next}`);
    this.#place = next;
    this.#at++;
  }

  #takeKey(byte: number): void {
    if (!this.#value.begun) {
      if (byte === CLOSE_BRACE) {
        this.#expect(true, "done");
        return;
      }
      if (byte !== QUOTE) throw new SyntaxError("not a list: a key was expected");
    }
    if (!this.#take()) return;
    this.#key = String(parseJson(this.#taken()));
    this.#place = "colon";
  }

  #takeValue(byte: number): void {
    if (!this.#value.begun && this.#holdsItems && byte === OPEN_BRACKET) {
      this.#expect(true, "item");
      return;
    }
    if (!this.#take()) return;
    if (this.#key === "metadata") this.#metadata = parseMetadata(this.#taken());
    if (this.#key === "columnDefinitions") this.#rows?.define(this.bytes, this.start, this.end);
    this.#place = "member end";
  }

  get #holdsItems(): boolean {
    return this.#key === "items" || (this.#key === "rows" && this.#rows !== undefined);
  }

  #takeItem(byte: number): boolean {
    if (!this.#value.begun) {
      if (byte === CLOSE_BRACKET) {
        this.#expect(true, "member end");
        return false;
      }
      if (byte !== OPEN_BRACE) throw new SyntaxError("not a list: an item is not an object");
    }
    if (!this.#take()) return false;
    this.#place = "item end";
    return true;
  }

  /** Goes on with the value at hand; true when it is complete, at [start, end) of `bytes`. */
  #take(): boolean {
    const from = this.#at;
    const past = this.#value.advance(this.#chunk, from, this.#chunk.length);
    if (past < 0) {
      this.#carry.append(this.#chunk, from, this.#chunk.length);
      this.#at = this.#chunk.length;
      return false;
    }
    this.#at = past;
    if (this.#carry.length === 0) this.#locate(this.#chunk, from, past);
    else {
      this.#carry.append(this.#chunk, from, past);
      const whole = this.#carry.take();
      this.#locate(whole, 0, whole.length);
    }
    return true;
  }

  #locate(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  #taken(): string {
    return this.bytes.toString("utf8", this.start, this.end);
  }
}

function parseMetadata(text: string): ListMetadata {
  const value = parseJson(text);
  return {
    resourceVersion: textField(value, "resourceVersion"),
    continue: textField(value, "continue"),
  };
}

function textField(object: unknown, name: string): string {
  if (typeof object !== "object" || object === null) return "";
  const value: unknown = Reflect.get(object, name);
  return typeof value === "string" ? value : "";
}
