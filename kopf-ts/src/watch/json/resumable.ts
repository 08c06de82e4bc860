import {
  endsScalar,
  INCOMPLETE,
  INCOMPLETE_ESCAPE,
  NESTING,
  OPENS,
  QUOTES,
  skipStringBody,
} from "./skip.ts";

/** What a value that spans chunks is in the middle of. */
type Inside =
  | "nothing"
  | "string"
  | "escape"
  | "nested"
  | "nested string"
  | "nested escape"
  | "scalar";

/** skipValue for bytes that come in chunks: remembers where a value was when a chunk ended. Each byte is looked at once. */
export class ResumableValue {
  #inside: Inside = "nothing";
  #depth = 0;

  /** Whether a value has begun and not ended. */
  get begun(): boolean {
    return this.#inside !== "nothing";
  }

  /** Goes on in a further chunk, or begins a value; past its end, or INCOMPLETE when the chunk ended first. */
  advance(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return INCOMPLETE;
    const past = this.#continue(bytes, start, end);
    if (past !== INCOMPLETE) this.#inside = "nothing";
    return past;
  }

  #continue(bytes: Buffer, start: number, end: number): number {
    switch (this.#inside) {
      case "nothing":
        return this.#begin(bytes, start, end);
      case "scalar":
        return this.#scalar(bytes, start, end);
      case "string":
        return this.#string(bytes, start, end);
      case "escape":
        return this.#string(bytes, start + 1, end);
      case "nested":
        return this.#nested(bytes, start, end);
      case "nested string":
        return this.#nestedString(bytes, start, end);
      case "nested escape":
        return this.#nestedString(bytes, start + 1, end);
    }
  }

  #begin(bytes: Buffer, start: number, end: number): number {
    this.#depth = 0;
    const kind = NESTING[bytes[start] ?? 0];
    if (kind === QUOTES) return this.#string(bytes, start + 1, end);
    if (kind === OPENS) return this.#nested(bytes, start, end);
    return this.#scalar(bytes, start, end);
  }

  #scalar(bytes: Buffer, start: number, end: number): number {
    this.#inside = "scalar";
    let i = start;
    while (i < end && !endsScalar(bytes[i] ?? 0)) i++;
    return i < end ? i : INCOMPLETE;
  }

  #string(bytes: Buffer, start: number, end: number): number {
    const past = skipStringBody(bytes, start, end);
    if (past >= 0) return past;
    this.#inside = past === INCOMPLETE_ESCAPE ? "escape" : "string";
    return INCOMPLETE;
  }

  #nestedString(bytes: Buffer, start: number, end: number): number {
    const past = this.#string(bytes, start, end);
    if (past !== INCOMPLETE) return this.#nested(bytes, past, end);
    this.#inside = this.#inside === "escape" ? "nested escape" : "nested string";
    return INCOMPLETE;
  }

  #nested(bytes: Buffer, start: number, end: number): number {
    let depth = this.#depth;
    let i = start;
    while (i < end) {
      const kind = NESTING[bytes[i++] as number]; // i < end: there is a byte
      if (kind === 0) continue;
      if (kind === QUOTES) {
        i = skipStringBody(bytes, i, end);
        if (i < 0) return this.#pause(depth, i);
      } else {
        depth += kind === OPENS ? 1 : -1;
        if (depth === 0) return i;
      }
    }
    return this.#pause(depth, 0);
  }

  #pause(depth: number, string: number): number {
    this.#depth = depth;
    if (string === INCOMPLETE) this.#inside = "nested string";
    else this.#inside = string === INCOMPLETE_ESCAPE ? "nested escape" : "nested";
    return INCOMPLETE;
  }
}
