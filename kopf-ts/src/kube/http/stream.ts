import type { Dispatcher } from "undici";
import type { RawStream } from "../client.ts";
import type { Headers } from "./answer.ts";

/** Bytes that may wait for a slow `for await` reader before the connection is told to wait. */
const HIGH_WATER = 1 << 20;

type State = "open" | "ended" | "failed" | "closed";

/**
 * The body of an answer, read as it comes. Chunks are the socket's own buffers, never copied. Nothing is read from the
 * connection until somebody reads; at the end of the answer everything that came is handed over before the end or the error is.
 */
export class Stream implements RawStream {
  readonly status: number;
  readonly headers: Headers;
  /** Makes the error a reader gets when the answer breaks off; set by the client, which knows what was asked. */
  describe: (cause: unknown) => unknown = (cause) => cause;
  /** Called once when nothing more will come. */
  onDone: () => void = () => undefined;

  readonly #controller: Dispatcher.DispatchController;
  #state: State = "open";
  #failure: unknown;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #onData: ((chunk: Buffer) => void) | undefined;
  #wake: (() => void) | undefined;
  #taken = false;
  #paused = false;

  constructor(status: number, headers: Headers, controller: Dispatcher.DispatchController) {
    this.status = status;
    this.headers = headers;
    this.#controller = controller;
    controller.pause();
  }

  get body(): AsyncIterable<Buffer> {
    return { [Symbol.asyncIterator]: () => this.#iterate() };
  }

  async pipe(onData: (chunk: Buffer) => void): Promise<void> {
    this.#take();
    this.#onData = onData;
    for (const chunk of this.#waiting.splice(0)) this.#deliver(chunk);
    if (!this.#paused) this.#controller.resume();
    while (this.#state === "open") await this.#change();
    if (this.#state === "failed") throw this.#failure;
  }

  pause(): void {
    this.#paused = true;
    this.#controller.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#controller.resume();
  }

  close(): void {
    this.#onData = undefined;
    if (this.#finish("closed")) this.#controller.abort(new Error("closed by the reader"));
  }

  /** Ends the stream with an error: its reader gets `reason`, also when the answer is complete but not yet read. */
  abort(reason: unknown): void {
    this.#onData = undefined;
    const live = this.#finish("failed");
    if (!live && this.#state !== "ended") return;
    this.#state = "failed";
    this.#failure = reason;
    if (live) this.#controller.abort(new Error("aborted", { cause: reason }));
  }

  /** From the connection: the next chunk. */
  push(chunk: Buffer): void {
    if (this.#state !== "open") return;
    if (this.#onData === undefined) this.#keep(chunk);
    else this.#deliver(chunk);
  }

  /** From the connection: the answer is complete. */
  end(): void {
    this.#finish("ended");
  }

  /** From the connection: the answer broke off. */
  fail(cause: unknown): void {
    if (this.#state !== "open") return;
    this.#failure = this.describe(cause);
    this.#finish("failed");
  }

  #keep(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > HIGH_WATER) this.#controller.pause();
    this.#wake?.();
  }

  #deliver(chunk: Buffer): void {
    try {
      this.#onData?.(chunk);
    } catch (error) {
      this.abort(error);
    }
  }

  #finish(state: State): boolean {
    if (this.#state !== "open") return false;
    this.#state = state;
    this.onDone();
    this.#wake?.();
    return true;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #take(): void {
    if (this.#taken) throw new Error("this stream is already being read");
    this.#taken = true;
  }

  async *#iterate(): AsyncGenerator<Buffer, void, undefined> {
    this.#take();
    try {
      for (;;) {
        const chunks = this.#waiting.splice(0);
        this.#waitingBytes = 0;
        yield* chunks;
        if (this.#state === "closed") return;
        if (this.#waiting.length > 0) continue;
        if (this.#state === "ended") return;
        if (this.#state === "failed") throw this.#failure;
        const change = this.#change(); // before resume, which may hand over what waits, even the end, at once
        if (!this.#paused) this.#controller.resume();
        await change;
      }
    } finally {
      this.close();
    }
  }
}
