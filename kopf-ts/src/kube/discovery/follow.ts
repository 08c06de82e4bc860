/** Follows the objects from which an API server's kinds come. */

import { type Clock, exponential, fullJitter, type Logger, messageOf } from "../../base/index.ts";
import type { Client } from "../client.ts";
import { isForbidden, isNotFound, isUnauthorized } from "../errors.ts";

/** Where kinds come from, and how to be told that they may have changed. */
export interface FollowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

const sources = [
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/apiregistration.k8s.io/v1/apiservices",
];

/** Names of changed objects are all we need, and not even those: any byte means a change. */
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** Milliseconds between attempts where we may not watch, or nothing can be watched: then each attempt is a poll. */
const POLL = 60_000;

/** Milliseconds that a watch must last; whoever ends it at once, even politely, is not asked again at once. */
const STEADY = 1_000;

/** Calls `onChange` whenever a CRD or an APIService changes, and after every gap in the watch. Resolves when the signal aborts. */
export async function followSources(options: FollowOptions, signal: AbortSignal): Promise<void> {
  await Promise.all(sources.map((path) => follow(path, options, signal)));
}

async function follow(path: string, options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger, onChange } = options;
  for (let failures = 0; !signal.aborted; ) {
    const start = clock.monotonic();
    const thrown = await watchOnce(path, options, signal).catch(asError);
    if (signal.aborted) return;
    const steady = clock.monotonic() - start >= STEADY;
    if (steady) failures = 0;
    const fault = thrown ?? (steady ? undefined : new Error("it ended at once"));
    if (fault !== undefined) {
      logger.debug("watch for served kinds failed", { path, error: messageOf(fault) });
      await clock.sleep(delayAfter(fault, failures++), signal).catch(() => undefined);
    }
    if (!signal.aborted) onChange(); // what happened meanwhile was not seen
  }
}

function delayAfter(fault: Error, failures: number): number {
  return fullJitter(isRefused(fault) ? POLL : exponential(failures, { min: 800, max: 30_000 }));
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Reads one watch to its end. Without a resourceVersion it begins with everything there is, which also tells that it stands. */
async function watchOnce(
  path: string,
  { client, onChange }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  const seconds = 300 + Math.floor(Math.random() * 300);
  const stream = await client.stream({
    method: "GET",
    path: `${path}?watch=1&timeoutSeconds=${seconds}`,
    headers: { accept: metadataOnly },
    signal,
  });
  await stream.pipe(onChange);
}

function isRefused(thrown: unknown): boolean {
  return isForbidden(thrown) || isNotFound(thrown) || isUnauthorized(thrown);
}
