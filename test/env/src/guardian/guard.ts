// The launcher's side of the guardian.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { environment } from "../environment.ts";
import { settles } from "../wait.ts";
import { type Event, type GuardianOptions, type Order, readLines, type Start } from "./protocol.ts";

/** How a program ended: its exit code, or the signal that killed it, or why it never started. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly message?: string;
}

/** A program under guard. */
export interface Guarded {
  readonly pid: number;
  /** Resolves once the program has ended; never rejects. */
  readonly ended: Promise<Ending>;
  signal(signal: NodeJS.Signals): void;
}

interface Slot {
  readonly started: PromiseWithResolvers<number>;
  readonly ended: PromiseWithResolvers<Ending>;
  pid: number | undefined;
}

/**
 * Starts programs that never outlive this process.
 *
 * Guarantees: when this process ends in any way, all programs end too; signals of the terminal do not
 * reach them; an idle guard does not keep this process alive. Should the guardian itself be killed, this
 * process kills the programs; only if both are killed at once may a program of other make than
 * hack/controlplane (which asks the kernel to end it with its guardian) survive.
 */
export class Guard {
  readonly #slots = new Map<number, Slot>();
  readonly #options: GuardianOptions;
  #guardian: ChildProcess | undefined;
  #pipes: readonly Socket[] = [];
  #closed: Promise<void> = Promise.resolve();
  #gone = true;
  #busy = 0;
  #ids = 0;

  constructor(options: GuardianOptions) {
    this.#options = options;
  }

  /** The guardian's process id, once started. */
  get pid(): number | undefined {
    return this.#guardian?.pid;
  }

  /** Starts the guardian; it runs nothing until `run`. */
  start(): void {
    const main = fileURLToPath(new URL("./main.js", import.meta.url));
    const log = openSync(this.#options.log, "a", 0o600);
    const guardian = spawn(process.execPath, [main, JSON.stringify(this.#options)], {
      detached: true,
      env: environment(),
      stdio: ["pipe", "pipe", log],
    });
    closeSync(log);
    this.#guardian = guardian;
    this.#gone = false;
    this.#pipes = [guardian.stdin, guardian.stdout].filter((stream) => stream instanceof Socket);
    this.#closed = once(guardian, "exit").then(
      () => this.#lost(),
      () => this.#lost(),
    );
    guardian.stdin?.on("error", () => undefined); // its exit tells
    if (guardian.stdout !== null) void this.#listen(guardian.stdout.setEncoding("utf8"));
    this.#hold(0);
  }

  /** Starts a program; rejects if it cannot be executed. */
  async run(program: Omit<Start, "op" | "id">): Promise<Guarded> {
    if (this.#gone) throw new Error("the guardian process does not run");
    const id = ++this.#ids;
    const slot: Slot = {
      started: Promise.withResolvers<number>(),
      ended: Promise.withResolvers<Ending>(),
      pid: undefined,
    };
    this.#slots.set(id, slot);
    this.#send({ op: "start", id, ...program });
    const pid = await this.#during(slot.started.promise);
    return {
      pid,
      ended: slot.ended.promise,
      signal: (signal) => this.#send({ op: "signal", id, signal }),
    };
  }

  /** Keeps this process alive until `promise` settles. */
  async hold<T>(promise: Promise<T>): Promise<T> {
    return this.#during(promise);
  }

  /** Ends all programs and the guardian; safe to call again. */
  async stop(): Promise<void> {
    this.#send({ op: "stop" });
    const patience = this.#options.grace + 5_000;
    if (await this.#during(settles(this.#closed, patience))) return;
    this.#guardian?.kill("SIGKILL");
    await this.#closed;
  }

  async #during<T>(promise: Promise<T>): Promise<T> {
    this.#hold(1);
    try {
      return await promise;
    } finally {
      this.#hold(-1);
    }
  }

  /** The guardian and its pipes keep this process alive only while somebody awaits an answer. */
  #hold(change: number): void {
    this.#busy += change;
    const idle = this.#busy === 0;
    for (const handle of [...this.#pipes, this.#guardian]) {
      if (idle) handle?.unref();
      else handle?.ref();
    }
  }

  #send(order: Order): void {
    this.#guardian?.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  async #listen(output: AsyncIterable<string>): Promise<void> {
    try {
      for await (const event of readLines(output)) this.#hear(event as Event);
    } catch {
      // a torn pipe: the guardian's exit tells
    }
  }

  #hear(event: Event): void {
    const slot = this.#slots.get(event.id);
    if (slot === undefined) return;
    if (event.event === "started") {
      slot.pid = event.pid;
      slot.started.resolve(event.pid);
      return;
    }
    this.#slots.delete(event.id);
    if (event.event === "failed") slot.started.reject(new Error(event.message));
    const { code = null, signal = null } = event.event === "exited" ? event : {};
    slot.ended.resolve({ code, signal });
  }

  /** The guardian is gone: whatever it still guarded is killed from here. */
  #lost(): void {
    this.#gone = true;
    for (const { pid, started, ended } of this.#slots.values()) {
      if (pid !== undefined) kill(pid);
      started.reject(new Error("the guardian process ended"));
      ended.resolve({ code: null, signal: "SIGKILL" });
    }
    this.#slots.clear();
  }
}

function kill(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended already
  }
}
