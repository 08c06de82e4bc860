/** Finds the values of JSON paths in an object's bytes, all of them in one pass. */

import { Members } from "./members.ts";
import {
  CLOSE_BRACKET,
  COMMA,
  INCOMPLETE,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipSpace,
  skipValue,
} from "./skip.ts";

/** The steps to a value: keys of objects, indexes of arrays. */
export type JsonPath = readonly (string | number)[];

/** Where a value lies: from its first byte (a string's quote, an object's brace) to behind its last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One step that some paths share. */
class Step {
  readonly key: string;
  readonly keyBytes: Buffer;
  /** The paths that end here. */
  readonly ends: number[] = [];
  /** All paths that come through here, to forget them when the key comes again. */
  readonly through: number[] = [];
  readonly keys: Step[] = [];
  readonly indexes = new Map<number, Step>();

  constructor(key: string) {
    this.key = key;
    this.keyBytes = Buffer.from(key);
  }

  child(step: string | number): Step {
    const known = typeof step === "string" ? this.#keyed(step) : this.indexes.get(step);
    if (known !== undefined) return known;
    const child = new Step(String(step));
    if (typeof step === "string") this.keys.push(child);
    else this.indexes.set(step, child);
    return child;
  }

  /** The child for the key the cursor is at. */
  match(members: Members): Step | undefined {
    for (const step of this.keys) if (members.keyIs(step.keyBytes)) return step;
    return undefined;
  }

  #keyed(key: string): Step | undefined {
    return this.keys.find((step) => step.key === key);
  }
}

/**
 * Paths compiled once, looked up in many objects. Reads as JSON.parse does: a repeated key counts where it comes last, escaped keys are
 * understood. The results of a scan stay until the next one.
 */
export class PathScanner {
  /** Where the value of path `i` begins and ends; -1 when the object has none. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #root = new Step("");
  #bytes: Buffer = Buffer.alloc(0);
  #limit = 0;

  constructor(paths: readonly JsonPath[]) {
    this.starts = new Int32Array(paths.length);
    this.ends = new Int32Array(paths.length);
    for (const [index, path] of paths.entries()) this.#add(path, index);
  }

  /** Looks for all paths in the value at [start, end); false when it is cut off or broken, and then nothing is found. */
  scan(bytes: Buffer, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.#limit = end;
    this.#forget(this.#root);
    const whole = this.#visit(this.#root, skipSpace(bytes, start, end)) !== INCOMPLETE;
    if (!whole) this.#forget(this.#root);
    this.#bytes = Buffer.alloc(0);
    return whole;
  }

  #add(path: JsonPath, index: number): void {
    let step = this.#root;
    step.through.push(index);
    for (const name of path) {
      step = step.child(name);
      step.through.push(index);
    }
    step.ends.push(index);
  }

  #forget(step: Step): void {
    for (const index of step.through) this.starts[index] = this.ends[index] = INCOMPLETE;
  }

  /** Takes the value at `start`, reached by `step`; returns where it ends. */
  #visit(step: Step, start: number): number {
    const end = this.#inside(step, start);
    if (end === INCOMPLETE) return INCOMPLETE;
    for (const index of step.ends) {
      this.starts[index] = start;
      this.ends[index] = end;
    }
    return end;
  }

  #inside(step: Step, start: number): number {
    const first = this.#bytes[start];
    if (first === OPEN_BRACE && step.keys.length > 0) return this.#members(step, start);
    if (first === OPEN_BRACKET && step.indexes.size > 0) return this.#elements(step, start);
    return skipValue(this.#bytes, start, this.#limit);
  }

  #members(parent: Step, start: number): number {
    const members = new Members(this.#bytes, start, this.#limit);
    while (members.next()) {
      const step = parent.match(members);
      if (step === undefined) members.skip();
      else {
        this.#forget(step);
        members.leave(this.#visit(step, members.valueStart));
      }
    }
    return members.end;
  }

  #elements(parent: Step, start: number): number {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let i = skipSpace(bytes, start + 1, limit);
    for (let index = 0; i < limit && bytes[i] !== CLOSE_BRACKET; index++) {
      const step = parent.indexes.get(index);
      const past = step === undefined ? skipValue(bytes, i, limit) : this.#visit(step, i);
      if (past === INCOMPLETE) return INCOMPLETE;
      i = skipSpace(bytes, past, limit);
      if (i < limit && bytes[i] === COMMA) i = skipSpace(bytes, i + 1, limit);
    }
    return i < limit ? i + 1 : INCOMPLETE;
  }
}

/** Where the value of one path lies in the object at [start, end); undefined when there is none. For many objects compile a PathScanner. */
export function findPath(
  bytes: Buffer,
  start: number,
  end: number,
  path: JsonPath,
): ByteRange | undefined {
  const scanner = new PathScanner([path]);
  if (!scanner.scan(bytes, start, end)) return undefined;
  const [from = INCOMPLETE] = scanner.starts;
  const [to = INCOMPLETE] = scanner.ends;
  return from < 0 ? undefined : { start: from, end: to };
}
