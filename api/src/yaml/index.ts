import { Worker } from "node:worker_threads";
import type { Clock } from "kopf-ts";
import { Slots } from "kopf-ts/base";
import { problem } from "../v1/problem.ts";
import type { Spoken } from "./worker.ts";

/** Milliseconds that one text may take; 2 MiB of the densest YAML need about half of it on a slow machine. */
const longest = 60_000;
/** Texts that are read at once: each has a thread. */
const atOnce = 2;
/** Megabytes of a thread's heap; the densest 2 MiB need 300. */
const mostMemory = 512;

/** Reads YAML in threads of its own, one per text: the parser takes seconds for a megabyte of small values, and nobody else would be served meanwhile. */
export class YamlReader {
  readonly #clock: Clock;
  readonly #slots = new Slots(atOnce);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The text as JSON; numbers keep all their digits. Throws a Problem 422 InvalidBodyContent that tells line and column and quotes nothing:
   * for what is no YAML, several documents, repeated keys, aliases that multiply, and nesting without end. Rejects with the signal's reason.
   */
  async toJson(text: string, signal: AbortSignal): Promise<string> {
    using _slot = await this.#slots.take(signal);
    signal.throwIfAborted();
    const spoken = await this.#ask(text, signal);
    signal.throwIfAborted();
    if ("json" in spoken) return spoken.json;
    throw problem("InvalidBodyContent", `Failed to parse body: ${spoken.fault}`, "body");
  }

  async #ask(text: string, signal: AbortSignal): Promise<Spoken> {
    const worker = new Worker(new URL("./worker.js", import.meta.url), {
      workerData: text,
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
    });
    const end = (): void => void worker.terminate();
    const timer = this.#clock.after(longest, end);
    signal.addEventListener("abort", end, { once: true });
    try {
      return await new Promise<Spoken>((resolve) => {
        const fail = (): void => resolve({ fault: "it takes too much memory or time" });
        worker.once("message", resolve).once("error", fail).once("exit", fail);
      });
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", end);
      await worker.terminate();
    }
  }
}
