/** Starts candidates as processes of their own and follows what they tell. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../../base/index.ts";
import { compareResourceVersions } from "../../watch/index.ts";
import type { CandidateEvent, CandidateOptions } from "./candidate.ts";

type Named<Event extends CandidateEvent["event"]> = Extract<CandidateEvent, { event: Event }>;

/** A running candidate. */
export class Candidate {
  readonly identity: string;
  readonly events: CandidateEvent[] = [];
  /** What it logged, for messages of failing tests. */
  log = "";
  readonly #child: ChildProcess;
  readonly #exit: Promise<readonly [code: number | null, signal: string | null]>;

  constructor(identity: string, child: ChildProcess) {
    this.identity = identity;
    this.#child = child;
    this.#exit = once(child, "close") as Promise<[number | null, string | null]>;
    if (child.stdout !== null) {
      createInterface(child.stdout).on("line", (line) => this.events.push(JSON.parse(line)));
    }
    child.stderr?.on("data", (chunk) => {
      this.log += chunk;
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Its exit code, or the signal that ended it, once its output is read. */
  async ended(): Promise<number | string | null> {
    const [code, signal] = await this.#exit;
    return code ?? signal;
  }

  /** The events of one sort so far. */
  all<Event extends CandidateEvent["event"]>(event: Event): readonly Named<Event>[] {
    return this.events.filter((each): each is Named<Event> => each.event === event);
  }

  /** The first event of a sort; rejects after `timeout` (ms) with what it logged. */
  async first<Event extends CandidateEvent["event"]>(
    event: Event,
    timeout: number,
  ): Promise<Named<Event>> {
    const deadline = systemClock.monotonic() + timeout;
    for (;;) {
      const [found] = this.all(event);
      if (found !== undefined) return found;
      if (systemClock.monotonic() > deadline) {
        throw new Error(`${this.identity}: no "${event}" within ${timeout} ms\n${this.log}`);
      }
      await systemClock.sleep(5);
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** The candidates of one test; disposing kills those that still run. */
export class Candidates implements AsyncDisposable {
  readonly #script: string;
  readonly #dir = mkdtempSync(join(tmpdir(), "kopf-ts-election-"));
  readonly #options: Omit<CandidateOptions, "identity">;
  readonly #started: Candidate[] = [];

  /** `script` is what they run: candidate.ts, or another program that takes and tells the same. */
  constructor(
    options: Omit<CandidateOptions, "identity">,
    script: string = join(import.meta.dirname, "candidate.js"),
  ) {
    this.#options = options;
    this.#script = script;
  }

  start(identity: string): Candidate {
    const file = join(this.#dir, `${identity}-${this.#started.length}.json`);
    writeFileSync(file, JSON.stringify({ ...this.#options, identity }));
    const child = spawn(process.execPath, [this.#script, file], { stdio: "pipe" });
    const candidate = new Candidate(identity, child);
    this.#started.push(candidate);
    return candidate;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const candidate of this.#started) candidate.kill();
    await Promise.all(this.#started.map((candidate) => candidate.ended()));
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Times on the machine's monotonic clock (ms), as candidates tell them. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/**
 * The split-brain prover: all writes of all candidates in the server's order. Each place where a former leader writes again after its
 * successor has is told; there is none unless two led at once.
 */
export function interleavings(candidates: readonly Candidate[]): readonly string[] {
  const writes = candidates
    .flatMap((each) => each.all("write").map((write) => ({ identity: each.identity, ...write })))
    .sort((one, other) => compareResourceVersions(one.version, other.version));
  return writes.flatMap((write, index) => {
    const before = writes[index - 1];
    if (before === undefined || before.token < write.token) return [];
    if (before.token === write.token && before.identity === write.identity) return [];
    return [
      `${write.identity} (term ${write.token}) wrote after ${before.identity} (${before.token})`,
    ];
  });
}
