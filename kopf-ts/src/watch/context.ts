import type { Clock, Logger } from "../base/index.ts";
import type { Client, RawStream } from "../kube/index.ts";
import type { WatchMetrics } from "../observe/index.ts";
import type { Bookmarks } from "./bookmarks.ts";
import type { GatherTime } from "./gathering.ts";
import { findPath, type JsonPath } from "./json/path.ts";
import { decodeScalar } from "./json/text.ts";
import type { Position } from "./position.ts";
import type { Reporter } from "./reporter.ts";
import type { Target, WatchRequest } from "./request.ts";
import type { WatchSink } from "./sink.ts";
import type { TableRows } from "./table.ts";
import type { WatchTiming } from "./timing.ts";
import type { Turns } from "./turns.ts";

/** What the parts of one watch share. */
export interface WatchContext {
  readonly client: Client;
  readonly target: Target;
  /** Where objects come as rows of tables. */
  readonly rows: TableRows | undefined;
  readonly sink: WatchSink;
  readonly position: Position;
  readonly bookmarks: Bookmarks;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WatchMetrics | undefined;
  readonly timing: WatchTiming;
  readonly turns: Turns;
  /** Undefined where changes never gather. */
  readonly gather: GatherTime | undefined;
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

/** Counts and logs an object that no cache can hold, by its name, if it has one at `path` of the bytes; its contents are nobody's business. */
export function leftOut(
  { logger, metrics }: WatchContext,
  bytes: Buffer,
  start: number,
  end: number,
  path: JsonPath,
): void {
  metrics?.failed("Unreadable");
  logger.warn("left out an object that cannot be read", {
    name: nameAt(bytes, start, end, path),
    bytes: end - start,
  });
}

function nameAt(bytes: Buffer, start: number, end: number, path: JsonPath): string {
  try {
    const found = findPath(bytes, start, end, path);
    const name = found && decodeScalar(bytes, found.start, found.end);
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}
