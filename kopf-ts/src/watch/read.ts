import type { Clock, Timer } from "../base/index.ts";
import type { RawStream } from "../kube/index.ts";
import type { Pausable, Turns } from "./turns.ts";

/** How a stream is read. */
export interface Reading {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly onChunk: (chunk: Buffer) => void;
  /** When (monotonic) the stream is given up, having been heard last at `heard`; asked again when that time comes. */
  readonly deadline: (heard: number) => number;
  /** Milliseconds after which to ask at the latest, since a deadline may come nearer. */
  readonly lookEvery: number;
  /** The error when it is given up; undefined when it then has ended like any other. */
  readonly giveUp: () => Error | undefined;
  /** What a turn that is used up holds up; the stream itself unless told. */
  readonly pausable?: Pausable | undefined;
}

/** Reads a stream to its end. Rejects with what broke it off, with what `onChunk` threw, or because it was silent for too long. */
export async function read(stream: RawStream, reading: Reading): Promise<void> {
  const { clock, turns, onChunk, pausable = stream } = reading;
  const watchdog = new Watchdog(stream, reading);
  watchdog.start();
  try {
    await stream.pipe((chunk) => {
      const now = clock.monotonic();
      watchdog.heard = now;
      onChunk(chunk);
      turns.worked(pausable, now);
    });
  } finally {
    watchdog.stop();
  }
  if (watchdog.failure !== undefined) throw watchdog.failure;
}

/** Closes a stream that is past its deadline. */
class Watchdog {
  heard: number;
  failure: Error | undefined;
  readonly #stream: RawStream;
  readonly #reading: Reading;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(stream: RawStream, reading: Reading) {
    this.#stream = stream;
    this.#reading = reading;
    this.heard = reading.clock.monotonic();
  }

  start(): void {
    const { clock, deadline, lookEvery } = this.#reading;
    const left = Math.min(deadline(this.heard) - clock.monotonic(), lookEvery);
    // A process that was frozen finds its timers due before it has read what waits in its sockets: look there first.
    this.#timer = clock.after(Math.max(left, 0), () => setImmediate(() => this.#check()));
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #check(): void {
    if (this.#stopped) return;
    const { clock, deadline, giveUp } = this.#reading;
    if (clock.monotonic() < deadline(this.heard)) this.start();
    else {
      this.failure = giveUp();
      this.#stream.close();
    }
  }
}
