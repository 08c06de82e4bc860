/** Runs programs that must end. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../base/index.ts";

/** What is run, and how long it may take. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds. */
  readonly timeLimit: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Bytes a program may print; credentials are some kilobytes. */
const LONGEST_OUTPUT = 1 << 20;
/** Bytes of what it complains about that are kept. */
const LONGEST_COMPLAINT = 1_024;

/**
 * Runs a program without input and resolves with what it printed. Rejects when it cannot be run, fails, prints too much, takes too long or the
 * signal aborts; then it is killed, with all that it started in its process group, as it is when our process exits. The message
 * holds the beginning of what it complained about, masked.
 */
export function runProgram(program: Program): Promise<{ readonly stdout: string }> {
  const { command, args, env, timeLimit, clock, signal } = program;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const child = spawn(command, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32", // a process group of its own, which can be killed as one
    windowsHide: true,
  });
  return new Promise((resolve, reject) => {
    const kill = (): void => killGroup(child);
    const onAbort = (): void => end(signal?.reason);
    const timer = clock.after(timeLimit, () =>
      end(new Error(`it did not end within ${timeLimit / 1_000} s${said(complaint())}`)),
    );
    const release = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", onAbort);
      process.off("exit", kill);
    };
    const end = (reason: unknown): void => {
      release();
      kill();
      child.stdout.destroy(); // whoever else holds its other end
      child.stderr.destroy();
      reject(reason);
    };
    const tooLong = (): void => end(new Error("it printed more than 1 MiB"));
    const output = collect(child.stdout, LONGEST_OUTPUT, tooLong);
    const complaint = collect(child.stderr, LONGEST_COMPLAINT, () => undefined);
    process.on("exit", kill);
    signal?.addEventListener("abort", onAbort, { once: true });
    child.on("error", (error) => end(new Error(startFault(error)))); // its own spawnargs may hold a token
    child.on("close", (code, killedBy) => {
      release();
      const how = code === null ? `it was ended by ${killedBy}` : `it ended with ${code}`;
      if (code === 0) resolve({ stdout: output() });
      else reject(new Error(how + (said(complaint()) || ", and did not say why")));
    });
  });
}

/** Gathers what a stream yields, up to a limit, behind which the rest is read and dropped. */
function collect(stream: NodeJS.ReadableStream, limit: number, onLimit: () => void): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = limit - length;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    length += chunk.length;
    if (room >= 0 && length > limit) onLimit();
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

function startFault(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "there is no such program (ENOENT)";
  if (code === "EACCES") return "it is no program that may be run (EACCES)";
  return error.message;
}

function said(complaint: string): string {
  const text = masked(complaint).replaceAll(/\s+/g, " ").trim();
  return text === "" ? "" : `: ${text}`;
}

/** A short text without what looks like a secret: values of tokens and passwords, JWTs and other long runs of letters and digits. */
export function masked(text: string): string {
  return text
    .replaceAll(
      /\b(\w*(?:token|password|passwd|secret|api-?key|authorization|credential))(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;]+/gi,
      "$1$2<redacted>",
    )
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 <redacted>")
    .replaceAll(/[\w+=-]{40,}(?:\.[\w+=-]+)*/g, "<redacted>")
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)*/g, "<redacted>");
}
