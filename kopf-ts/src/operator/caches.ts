import type { Clock } from "../base/index.ts";
import type { InformerReport, Informers } from "../cache/index.ts";
import { resourceName } from "../kube/index.ts";
import type { Waiting } from "./waiting.ts";

/** Milliseconds between two looks at what is missing. */
const look = 200;

/** Lets /readyz tell which caches are not synced, and why, until the signal aborts; never rejects. Watches and controllers log it themselves. */
export async function tellMissingCaches(
  informers: Informers,
  waiting: Waiting,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    waiting.replace("cache/", missingCaches(informers.report()));
    await clock.sleep(look, signal).catch(() => undefined);
  }
  waiting.replace("cache/", new Map());
}

/** Why each resource is not in its cache yet, by name. */
export function missingCaches(reports: readonly InformerReport[]): ReadonlyMap<string, string> {
  const missing = reports.filter(({ synced }) => !synced);
  return new Map(missing.map(({ kind, state }) => [resourceName(kind), reasonOf(state)]));
}

function reasonOf(state: InformerReport["state"]): string {
  return state.phase === "degraded"
    ? `${state.reason}: ${state.message}`
    : "the first list is not complete";
}
