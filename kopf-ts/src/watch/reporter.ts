import type { Logger, RecentWarnings } from "../base/index.ts";
import type { WatchSink, WatchState } from "./sink.ts";

/** Reasons that are the server's or the network's and no resource's: the watches of a cluster meet them together. */
const shared: ReadonlySet<string> = new Set([
  ...["Unreachable", "Timeout", "Untrusted", "Unauthorized", "ServiceUnavailable"],
]);

/** Tells the consumer and the log of changes of state, each once. What other watches have warned of already is logged at debug level. */
export class Reporter {
  readonly #sink: Pick<WatchSink, "state">;
  readonly #logger: Logger;
  readonly #warnings: RecentWarnings | undefined;
  #last: WatchState | undefined;
  /** What this watch has warned of, not another one. */
  readonly #warned = new Set<string>();

  constructor(sink: Pick<WatchSink, "state">, logger: Logger, warnings?: RecentWarnings) {
    this.#sink = sink;
    this.#logger = logger;
    this.#warnings = warnings;
  }

  get live(): boolean {
    return this.#last?.phase === "live";
  }

  tell(state: WatchState): void {
    const before = this.#last;
    if (before !== undefined && isSame(before, state)) return;
    this.#last = state;
    if (state.phase === "degraded") this.#degraded(state);
    else if (before?.phase === "degraded") this.#recovered(state.phase);
    this.#sink.state(state);
  }

  #degraded({ reason, message }: WatchState & { readonly phase: "degraded" }): void {
    const isSaid = shared.has(reason) && this.#warnings?.repeats(reason) === true;
    if (!isSaid) this.#warned.add(reason);
    this.#logger[isSaid ? "debug" : "warn"]("watch is degraded", { reason, message });
  }

  /** Whoever warned takes it back, and what happens then is news. */
  #recovered(phase: WatchState["phase"]): void {
    const level = this.#warned.size > 0 ? "info" : "debug";
    for (const reason of this.#warned) this.#warnings?.forget(reason);
    this.#warned.clear();
    this.#logger[level]("watch has recovered", { phase });
  }
}

function isSame(a: WatchState, b: WatchState): boolean {
  if (a.phase !== "degraded" || b.phase !== "degraded") return a.phase === b.phase;
  return a.reason === b.reason;
}
