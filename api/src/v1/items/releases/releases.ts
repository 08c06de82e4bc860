/** Large releases of Helm, off the event loop. */

import type { Threads } from "../../../threads.ts";
import type { ResourceType } from "../../types/resource-type.ts";
import { isLarge, packedIn, type ReadRelease, unwrapped } from "./release.ts";

const worker = new URL("./worker.js", import.meta.url);

/** Reads releases in threads of their own: one of 8 MiB takes 70 ms and more. */
export class Releases {
  readonly #threads: Pick<Threads, "run">;

  constructor(threads: Pick<Threads, "run">) {
    this.#threads = threads;
  }

  /** The release of an object, if it is a large one that can be read. Rejects with the signal's reason; throws SyntaxError for bytes that are no JSON. */
  async read(
    object: Buffer,
    type: Pick<ResourceType, "id">,
    signal: AbortSignal,
  ): Promise<ReadRelease | undefined> {
    const packed = packedIn(JSON.parse(object.toString()));
    const bytes = unwrapped(packed, type);
    if (!isLarge(bytes)) return undefined;
    const json = await this.#threads.run(worker, bytes, signal);
    return json instanceof Uint8Array ? { packed, json } : undefined;
  }
}
