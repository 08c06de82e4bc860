/** What comes back from one attempt of a request. */

import type { Duplex } from "node:stream";
import type { Stream } from "./stream.ts";

/** Response headers, names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A whole answer, or the head of one whose body is `stream`. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly stream?: Stream;
  /** The connection, where both sides changed its protocol. */
  readonly socket?: Duplex;
}

/** How far an attempt got; for messages and for deciding whether a repetition is safe. */
export type Phase = "waiting for a connection" | "waiting for the answer" | "reading the answer";

/** Rejects an attempt that got no whole answer; `caller.ts` turns it into an ApiError. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly phase: Phase;

  constructor(phase: Phase, cause: unknown) {
    super(phase, { cause });
    this.phase = phase;
  }
}

/** Rejects an attempt whose answer is longer than it may be. */
export class TooLong extends Error {
  override readonly name = "TooLong";
  /** Bytes. */
  readonly limit: number;

  constructor(limit: number) {
    super(`more than ${sizeOf(limit)}`);
    this.limit = limit;
  }
}

function sizeOf(bytes: number): string {
  const units = [
    ["MiB", 1 << 20],
    ["KiB", 1 << 10],
  ] as const;
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ["bytes", 1];
  return `${bytes / size} ${unit}`;
}

/** The first value of a header. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}
