/** Long work in short pieces. */

import { type Clock, mergeSort } from "kopf-ts";

/** Milliseconds of work between two turns of the event loop. */
const length = 5;

/** Lets everybody else have a turn every 5 ms, and ends work for somebody who has gone. */
export class Slices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #until: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#until = clock.monotonic() + length;
  }

  /** For who has just had to wait for something else. */
  begin(): void {
    this.#until = this.#clock.monotonic() + length;
  }

  /** Whether it is time to let go. */
  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#until;
  }

  /** Waits for the next turn when it is time; rejects with the signal's reason. */
  rest(): Promise<void> | undefined {
    return this.isOver ? this.turn() : undefined;
  }

  /** Waits for the next turn; rejects with the signal's reason. */
  async turn(): Promise<void> {
    await nextTurn();
    this.#signal.throwIfAborted();
    this.begin();
  }
}

/** Bytes that take a millisecond or more to read and write again. */
const many = 64 * 1024;

/** A turn for who is about to read what is long: of many that came at once each has one of its own. Nothing to wait for where it is short. */
export function turnFor(bytes: Pick<Uint8Array, "length">): Promise<void> | undefined {
  return bytes.length < many ? undefined : nextTurn();
}

/** As `toSorted`, with rests. */
export async function sortedIn<T>(
  slices: Slices,
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> {
  const at = (index: number): T => items[index] as T; // of those below
  const steps = mergeSort(Uint32Array.from(items.keys()), (a, b) => compare(at(a), at(b)) || a - b);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return Array.from(value, at);
    await slices.rest();
  }
}

/** Work that waits, in order. */
const waiting: (() => void)[] = [];

/** One at a time goes on in each turn of the event loop: however many are at work, others wait for one slice. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneGo);
  });
}

function letOneGo(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGo);
}
