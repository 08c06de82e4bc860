/** Requests as clients of an HTTPS server send them, and how long each took; sent by a process of their own that does next to nothing else. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { goProgram } from "../go-program.ts";
import { folder } from "./bench.ts";
import { type Percentiles, percentiles } from "./v1/latencies.ts";
import { countWithin } from "./v1/schedule.ts";

/** Where requests go, and as whom. */
export interface Aim {
  /** `https://host:port`. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of request number `index`. */
  readonly path: (index: number) => string;
}

/** What a load found; times in milliseconds. */
export interface Latencies extends Percentiles {
  readonly perSecond: number;
  readonly count: number;
  /** Of one answer, on the wire, median. */
  readonly bytes: number;
}

/** When a load ends: after so many requests, or so many milliseconds, whatever comes first. */
export interface Bounds {
  readonly requests: number;
  readonly time: number;
}

/** What the program found (load/main.go). */
interface Found {
  readonly taken: readonly number[];
  readonly sizes: readonly number[];
  readonly wall: number;
}

/** The program; builds it where this user has none. */
export function loadProgram(say?: (text: string) => void): Promise<string> {
  return goProgram(join(folder, "load"), say);
}

/**
 * Asks for each path once, until so many requests were answered or the time is over; each connection's first answer comes before and does not count. Rejects
 * when an answer is no 200: a wrong answer is not fast.
 */
export async function closedLoop(
  { base, headers, path }: Aim,
  connections: number,
  { requests, time }: Bounds,
): Promise<Latencies> {
  const paths = Array.from({ length: connections + requests }, (_, index) => path(index));
  return ran({ base, time, paths: { headers, paths, connections, requests } });
}

/** Connections that an open loop has at most; it makes them as it needs them. */
const openConnections = 32;

/**
 * Sends requests at a rate, whether answers come or not; times count from when a request was due, so what has to wait for a connection waits in the figure. One
 * answer comes before and does not count. Rejects when an answer is no 200.
 */
export function openLoop(
  { base, headers, path }: Aim,
  perSecond: number,
  { requests, time }: Bounds,
): Promise<Latencies> {
  const count = Math.min(requests, countWithin(time, perSecond));
  const paths = Array.from({ length: count }, (_, index) => path(index));
  return ran({ base, rate: { headers, paths, perSecond, connections: openConnections } });
}

/** Walks through all pages of a collection, each page told by what came before. */
export interface Walks {
  /** `https://host:port`. */
  readonly base: string;
  /** Of each who walks. */
  readonly headers: readonly Aim["headers"][];
  /** Of the collection. */
  readonly path: string;
  readonly pageSize: number;
  /** How the next page is asked for: by `page` of a /v1, all at the revision of the first one, or by what an API server told to `continue` with. */
  readonly by: "page" | "continue";
}

/**
 * Lets everybody walk at once, each on a connection of their own, so many times or until the time is over; times are those of single pages, the first ones with the
 * set-up of their connections. Rejects when an answer is no 200, and when one of a /v1 tells no total.
 */
export function walks(
  { base, headers: walkers, path, pageSize, by }: Walks,
  { requests: times, time }: Bounds,
): Promise<Latencies> {
  return ran({ base, time, walks: { walkers, times, path, pageSize, by } });
}

async function ran(order: object): Promise<Latencies> {
  const { taken, sizes, wall } = await answerTo(order);
  return latencies(taken, sizes, wall);
}

async function answerTo(order: object): Promise<Found> {
  const program = await loadProgram();
  const child = spawn(program, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  child.stdin.on("error", () => undefined); // it has ended: its code says why
  child.stdin.end(JSON.stringify(order));
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(errors.trim() || `load ended with ${code}`);
  return JSON.parse(out);
}

/** What so many times and sizes come to, found in so many milliseconds. */
function latencies(taken: readonly number[], sizes: readonly number[], wall: number): Latencies {
  return {
    ...percentiles(taken),
    perSecond: (taken.length * 1000) / wall,
    count: taken.length,
    bytes: sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0,
  };
}
