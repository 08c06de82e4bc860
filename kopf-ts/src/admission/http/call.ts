import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/index.ts";
import { ReviewError } from "../review/review-error.ts";

/** One request while it is answered: its signal aborts at the deadline, and when whoever asks has gone. */
export class Call implements Disposable {
  /** What is waited for, in words; told when the deadline comes first. */
  waitsFor = "its turn";
  readonly #controller = new AbortController();
  readonly #over: PromiseWithResolvers<never> = Promise.withResolvers<never>();
  readonly #cancel: () => void;

  constructor(response: ServerResponse, clock: Clock, limit: number) {
    this.#over.promise.catch(() => undefined); // told by `within`, if anybody waits
    // Of 504 API servers only tell people that it took too long; of 500 they tell our text.
    const late = (): void => this.#abort(500, `no answer within ${Math.round(limit)} ms`);
    const timer = clock.after(limit, late);
    const gone = (): void => this.#abort(499, "whoever asked has gone");
    response.once("close", gone);
    this.#cancel = () => {
      timer.cancel();
      response.off("close", gone);
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** As the promise, but rejects with a ReviewError once the signal aborts. */
  within<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#over.promise]);
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #abort(status: number, reason: string): void {
    const error = new ReviewError(`${reason}: waiting for ${this.waitsFor}`, { status });
    this.#controller.abort(error);
    this.#over.reject(error);
  }
}
