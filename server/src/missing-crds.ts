/** Tells who runs a server on a cluster without our CRDs what to do about it. */

import { kinds } from "@drover/crds";
import { type Clock, type InformerReport, type Logger, type Operator, resourceName } from "kopf-ts";

/** Milliseconds between two looks. */
const look = 1_000;

/** What is needed for telling. */
export interface Telling {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Says which of our CRDs the server lacks: in the log whenever that changes, and in /readyz until the caches have been filled once. Disposing
 * it ends that.
 */
export function tellMissingCrds(
  { informers, health }: Pick<Operator, "informers" | "health">,
  { clock, log }: Telling,
): Disposable {
  const over = new AbortController();
  const check = health.ready("crds", () => {
    const missing = missingCrds(informers.report().filter(({ synced }) => !synced));
    if (missing.length > 0) throw new Error(`run \`drover crds\`: ${missing.join(", ")} missing`);
  });
  void (async () => {
    for (let told = ""; !over.signal.aborted; ) {
      const missing = missingCrds(informers.report()).join(", ");
      if (missing !== told && missing !== "")
        log.warn("CRDs are missing; run `drover crds`", { missing });
      told = missing;
      await clock.sleep(look, over.signal).catch(() => undefined);
    }
  })();
  return {
    [Symbol.dispose]: () => {
      check[Symbol.dispose]();
      over.abort();
    },
  };
}

const ours: ReadonlySet<string> = new Set(kinds.map(resourceName));

/** Those of our kinds that the server is known not to serve, such as `tokens.management.cattle.io`. */
export function missingCrds(reports: readonly InformerReport[]): readonly string[] {
  return reports
    .filter(({ state }) => state.phase === "degraded" && state.reason === "NotFound")
    .map(({ kind }) => resourceName(kind))
    .filter((name) => ours.has(name));
}
