/** Requests one after the other on each of so many connections, sent by a process of their own that does next to nothing else. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { goProgram } from "../go-program.ts";
import { folder } from "./bench.ts";
import { type Aim, type Bounds, type Latencies, latencies } from "./load.ts";

/** What the program found (closed-loop/main.go). */
interface Found {
  readonly taken: readonly number[];
  readonly sizes: readonly number[];
  readonly wall: number;
}

/** The program; builds it where this user has none. */
export function closedLoopProgram(say?: (text: string) => void): Promise<string> {
  return goProgram(join(folder, "closed-loop"), say);
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
  const program = await closedLoopProgram();
  const child = spawn(program, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  child.stdin.on("error", () => undefined); // it has ended: its code says why
  child.stdin.end(JSON.stringify(order));
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(errors.trim() || `closed-loop ended with ${code}`);
  return JSON.parse(out);
}
