// Reading files that another process writes.
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { settles } from "./wait.ts";

/** The last `count` lines of a file; empty if it cannot be read. */
export function tail(path: string, count: number): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n");
  } catch {
    return "";
  }
}

/** The size of a file in bytes; 0 if there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** What to read, and until when. */
export interface Follow<T> {
  /** Byte to begin at. */
  readonly from: number;
  readonly until: Promise<T>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `listen` with each line of a file that still grows, within 0.2 s, until `until` resolves; then
 * resolves with its value.
 */
export async function follow<T>(
  path: string,
  { from, until: ended, signal }: Follow<T>,
  listen: (line: string) => void,
): Promise<T> {
  const file = openSync(path, "a+");
  try {
    let rest = "";
    for (let at = from, over = false; !over; ) {
      signal?.throwIfAborted();
      over = await settles(ended, 200);
      const text = readFrom(file, at);
      at += text.length;
      const lines = (rest + text.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) listen(line);
    }
    return await ended;
  } finally {
    closeSync(file);
  }
}

function readFrom(file: number, at: number): Buffer {
  const buffer = Buffer.alloc(Math.max(fstatSync(file).size - at, 0));
  return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, at));
}
