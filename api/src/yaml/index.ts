import type { Clock } from "kopf-ts";
import { Threads } from "../threads.ts";
import { problem } from "../v1/problem.ts";
import type { Spoken } from "./worker.ts";

const worker = new URL("./worker.js", import.meta.url);

/** Reads YAML in threads of its own, one per text: the parser takes seconds for a megabyte of small values, and nobody else would be served meanwhile. */
export class YamlReader {
  readonly #threads: Threads;

  constructor(clock: Clock) {
    this.#threads = new Threads(clock);
  }

  /**
   * The text as JSON; numbers keep all their digits. Throws a Problem 422 InvalidBodyContent that tells line and column and quotes nothing:
   * for what is no YAML, several documents, repeated keys, aliases that multiply, and nesting without end. Rejects with the signal's reason.
   */
  async toJson(text: string, signal: AbortSignal): Promise<string> {
    const said = (await this.#threads.run(worker, text, signal)) as Spoken | undefined;
    const spoken = said ?? { fault: "it takes too much memory or time" };
    if ("json" in spoken) return spoken.json;
    throw problem("InvalidBodyContent", `Failed to parse body: ${spoken.fault}`, "body");
  }
}
