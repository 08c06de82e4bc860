import type { Clock, Logger } from "../base/index.ts";
import type { Client, RawStream } from "../kube/index.ts";
import type { WatchMetrics } from "../observe/index.ts";
import type { Bookmarks } from "./bookmarks.ts";
import type { Position } from "./position.ts";
import type { Reporter } from "./reporter.ts";
import type { Target, WatchRequest } from "./request.ts";
import type { WatchSink } from "./sink.ts";
import type { WatchTiming } from "./timing.ts";
import type { Turns } from "./turns.ts";

/** What the parts of one watch share. */
export interface WatchContext {
  readonly client: Client;
  readonly target: Target;
  readonly sink: WatchSink;
  readonly position: Position;
  readonly bookmarks: Bookmarks;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WatchMetrics | undefined;
  readonly timing: WatchTiming;
  readonly turns: Turns;
}

/** Opens a stream; rejects when its head does not come within `timeout`. */
export function open(
  { client }: WatchContext,
  { path, headers }: WatchRequest,
  timeout: number,
  signal: AbortSignal,
): Promise<RawStream> {
  return client.stream({ method: "GET", path, headers, timeout, signal });
}
