import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import { type Answer, type Headers, type Phase, TooLong, Unanswered } from "./answer.ts";
import { Stream } from "./stream.ts";

type Controller = Dispatcher.DispatchController;

/** Which answers are left to a Stream: none, those below 400, or all. */
type Streaming = boolean | "all";

/** Bytes of an answer that is read whole, unless the call says less: one that is longer would fill the memory, or be no string any more (V8: 512 MiB). */
export const LONGEST_ANSWER: number = 256 << 20;
/** Bytes of an answer of 400 and above, of which a message or two is wanted; the rest is not read. */
export const LONGEST_ERROR: number = 1 << 20;

/**
 * One attempt of one request: collects the answer that an undici pool hands over piece by piece. Implements undici's
 * handler itself, since its `request()` costs a stream and several promises more per answer.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The answer; rejects with Unanswered, with TooLong, or with the reason given to `cancel`. */
  readonly answer: Promise<Answer>;
  phase: Phase = "waiting for a connection";

  /** Whether `beforeSend` threw, with which `answer` rejects then. */
  refused = false;

  readonly #streaming: Streaming;
  readonly #beforeSend: (() => void) | undefined;
  readonly #limit: number;
  #resolve: (answer: Answer) => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;
  #controller: Controller | undefined;
  #cancelled: { readonly reason: unknown } | undefined;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #stream: Stream | undefined;

  /** A streaming exchange resolves with the head of an answer (below 400, or any) and leaves its body to a Stream. `limit` is in bytes. */
  constructor(streaming: Streaming, beforeSend?: () => void, limit: number = LONGEST_ANSWER) {
    this.#streaming = streaming;
    this.#beforeSend = beforeSend;
    this.#limit = Math.min(limit, LONGEST_ANSWER);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get cancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Ends the attempt wherever it is; `answer` rejects with the reason at once, also while the request still queues. */
  cancel(reason: unknown): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { reason };
    this.#reject(reason);
    this.#controller?.abort(asError(reason));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#cancelled === undefined) this.#ask();
    if (this.#cancelled === undefined) this.phase = "waiting for the answer";
    else controller.abort(asError(this.#cancelled.reason));
  }

  #ask(): void {
    try {
      this.#beforeSend?.();
    } catch (reason) {
      this.refused = true;
      this.cancel(reason);
    }
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    if (status < 200) return; // informational; the answer follows
    this.phase = "reading the answer";
    this.#status = status;
    this.#headers = headers;
    if (!this.#streaming || (status >= 400 && this.#streaming !== "all")) return;
    this.#stream = new Stream(status, headers, controller);
    this.#resolve({ status, headers, body: nothing, stream: this.#stream });
  }

  /** From here on the connection is whose the answer is; nobody else knows of it. */
  onRequestUpgrade(_: Controller, status: number, headers: Headers, socket: Duplex): void {
    if (this.#cancelled !== undefined) socket.destroy();
    this.#resolve({ status, headers, body: nothing, socket });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#stream === undefined) this.#keep(controller, chunk);
    else this.#stream.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#stream === undefined) this.#finish();
    else this.#stream.end();
  }

  /** What is longer than it may be ends the connection, since reading on is what must not be. */
  #keep(controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const isError = this.#status >= 400;
    if (this.#length <= (isError ? Math.min(this.#limit, LONGEST_ERROR) : this.#limit)) return;
    if (isError) this.#finish();
    else this.#reject(new TooLong(this.#limit));
    this.#chunks = [];
    controller.abort(new Error("the answer is too long"));
  }

  #finish(): void {
    const [only] = this.#chunks;
    const body =
      only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Controller | null, cause: Error): void {
    if (this.#stream !== undefined) this.#stream.fail(cause);
    else this.#reject(new Unanswered(this.phase, cause));
  }
}

const nothing = Buffer.alloc(0);

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
