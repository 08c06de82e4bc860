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
 * Asks until so many requests were answered or the time is over; each connection's first answer comes before and does not count. Rejects when an answer
 * is no 200: a wrong answer is not fast.
 */
export async function closedLoop(
  { base, headers, path }: Aim,
  connections: number,
  { requests, time }: Bounds,
): Promise<Latencies> {
  const program = await closedLoopProgram();
  const paths = Array.from({ length: requests }, (_, index) => path(index));
  const found = await ran(program, { base, headers, paths, connections, requests, time });
  return latencies(found.taken, found.sizes, found.wall);
}

async function ran(program: string, order: object): Promise<Found> {
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
