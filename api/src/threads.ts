/** Work that would hold the event loop up, in threads of its own. */

import { Worker } from "node:worker_threads";
import type { Clock } from "kopf-ts";
import { Slots } from "kopf-ts/base";

/** Milliseconds that one work may take: 2 MiB of YAML need some 5 s, more on a slow machine or with many aliases. */
const longest = 60_000;
/** Works at once. */
const atOnce = 2;
/** Megabytes of a thread's heap; the densest 2 MiB of YAML need 300. */
const mostMemory = 512;

/** Starts a thread for each work, few at once; others wait in order. */
export class Threads {
  readonly #clock: Pick<Clock, "after">;
  readonly #slots = new Slots(atOnce);

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /**
   * What the thread says first; undefined when it ends without a word, since it took too much memory or time. `script` is its module, which finds `data` as `workerData`. Rejects with
   * the signal's reason.
   */
  async run(script: URL, data: unknown, signal: AbortSignal): Promise<unknown> {
    using _slot = await this.#slots.take(signal);
    signal.throwIfAborted();
    const said = await this.#ask(script, data, signal);
    signal.throwIfAborted();
    return said;
  }

  async #ask(script: URL, workerData: unknown, signal: AbortSignal): Promise<unknown> {
    const resourceLimits = { maxOldGenerationSizeMb: mostMemory };
    const worker = new Worker(script, { workerData, resourceLimits });
    const end = (): void => void worker.terminate();
    const timer = this.#clock.after(longest, end);
    signal.addEventListener("abort", end, { once: true });
    try {
      return await new Promise<unknown>((resolve) => {
        const fail = (): void => resolve(undefined);
        worker.once("message", resolve).once("error", fail).once("exit", fail);
      });
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", end);
      await worker.terminate();
    }
  }
}
