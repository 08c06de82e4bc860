/** Changes as watches told them once, to be told again at a pace of one's own. */

import { EventEmitter, once } from "node:events";
import { isChange, revisionOfLine } from "./recording.ts";

/** A line of a watch, with its end. */
interface Line {
  readonly revision: number;
  readonly bytes: Buffer;
}

/** Keeps lines until it is held; then plays them to who follows. */
export class Tape {
  /** By what a watch is kept under; all tell the same changes, each in its own form. */
  readonly #lines = new Map<string, Line[]>();
  readonly #moved = new EventEmitter().setMaxListeners(0);
  /** Of all changes, once it is held. */
  #revisions: readonly number[] | undefined;
  /** How many of them were played. */
  #played = 0;

  /** Whether watches are followed from here, and no longer from the API server. */
  get isHeld(): boolean {
    return this.#revisions !== undefined;
  }

  /** Keeps a line of a watch; a second watch of the same form adds nothing. */
  keep(key: string, line: Buffer): void {
    if (this.isHeld || !isChange(line)) return;
    const lines = this.#lines.get(key) ?? [];
    this.#lines.set(key, lines);
    const revision = revisionOfLine(line);
    if (revision <= (lines.at(-1)?.revision ?? 0)) return;
    lines.push({ revision, bytes: Buffer.concat([line, Buffer.from("\n")]) });
  }

  /** Ends the recording; the tape is at its begin. Throws unless all forms tell the same changes, of which it returns the number. */
  hold(): number {
    const told = [...this.#lines.values()].map((lines) => lines.map(({ revision }) => revision));
    const [first = []] = told;
    if (first.length === 0 || told.some((other) => `${other}` !== `${first}`))
      throw new Error(`changes were recorded unevenly: ${told.map(({ length }) => length)}`);
    this.#revisions = first;
    return first.length;
  }

  /** Back to the begin, for servers that start anew. */
  rewind(): void {
    this.#played = 0;
  }

  /** Plays the next change; its revision, or undefined at the end. */
  play(): number | undefined {
    const next = this.#revisions?.[this.#played];
    if (next === undefined) return undefined;
    this.#played++;
    this.#moved.emit("moved");
    return next;
  }

  /** What a watch that begins after a revision is told, as it is played; ends when it is aborted. Throws when no such watch was recorded. */
  async *follow(key: string, after: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const lines = this.#lines.get(key);
    if (lines === undefined) throw new Error(`no watch was recorded as ${key}`);
    let next = lines.filter(({ revision }) => revision <= after).length;
    while (!signal.aborted) {
      while (next < this.#played) yield lines[next++]?.bytes ?? Buffer.of();
      await once(this.#moved, "moved", { signal }).catch(() => undefined); // aborted
    }
  }
}
