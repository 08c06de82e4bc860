import type { Logger } from "../base/index.ts";
import type { WatchSink, WatchState } from "./sink.ts";

/** Tells the consumer and the log of changes of state, each once. */
export class Reporter {
  readonly #sink: Pick<WatchSink, "state">;
  readonly #logger: Logger;
  #last: WatchState | undefined;

  constructor(sink: Pick<WatchSink, "state">, logger: Logger) {
    this.#sink = sink;
    this.#logger = logger;
  }

  get live(): boolean {
    return this.#last?.phase === "live";
  }

  tell(state: WatchState): void {
    const before = this.#last;
    if (before !== undefined && isSame(before, state)) return;
    this.#last = state;
    if (state.phase === "degraded") {
      const { reason, message } = state;
      this.#logger.warn("watch is degraded", { reason, message });
    } else if (before?.phase === "degraded") {
      this.#logger.info("watch has recovered", { phase: state.phase });
    }
    this.#sink.state(state);
  }
}

function isSame(a: WatchState, b: WatchState): boolean {
  if (a.phase !== "degraded" || b.phase !== "degraded") return a.phase === b.phase;
  return a.reason === b.reason;
}
