/** Runs one subject as a child process and reads its cost from /proc. */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { CpuMeter } from "./cpu.ts";

/** How to start a subject. */
export interface Command {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where it runs; the harness's folder unless told. */
  readonly cwd?: string;
  /** Milliseconds from the signal that ends it until it is killed; 3 s unless told. */
  readonly patience?: number;
}

/** A line that a subject printed: `{"event": "synced", ...}`. */
export interface SubjectEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** Cost of a process from its start to now. */
export interface Cost {
  readonly wall_s: number;
  readonly cpu_s: number;
  readonly rss_mb: number;
  readonly rss_peak_mb: number;
}

function memoryMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} ended before its memory was read`);
  return Number(kilobytes) / 1000;
}

/** A subject that runs. */
export class Subject implements AsyncDisposable {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #cpu: CpuMeter;
  readonly #started = performance.now();
  readonly #patience: number;
  readonly #seen: SubjectEvent[] = [];
  readonly #waiting: { readonly event: string; readonly take: (event: SubjectEvent) => void }[] =
    [];
  readonly #failed = Promise.withResolvers<never>();
  #failure: Error | undefined;
  #errors = "";

  constructor(name: string, { argv: [program = "", ...args], env, cwd, patience }: Command) {
    this.name = name;
    this.#patience = patience ?? 3000;
    this.#child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#cpu = new CpuMeter(this.pid);
    this.#failed.promise.catch(() => undefined);
    this.#child.on("error", (cause) => this.#failed.reject(cause));
    this.#child.on("exit", (code, signal) => {
      const how = signal ?? `code ${code}`;
      this.#failure = new Error(`${name} ended with ${how}: ${this.#errors.slice(-2000)}`);
      this.#failed.reject(this.#failure);
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#onLine(line));
    }
  }

  #onLine(line: string): void {
    const told: SubjectEvent = line.startsWith("{")
      ? JSON.parse(line)
      : { event: "text", text: line };
    const index = this.#waiting.findIndex(({ event }) => event === told.event);
    if (index < 0) this.#seen.push(told);
    else this.#waiting.splice(index, 1)[0]?.take(told);
  }

  /** The next event of that name; rejects when the process ends or `timeout` milliseconds pass. */
  async event(name: string, timeout = 180_000): Promise<SubjectEvent> {
    const index = this.#seen.findIndex(({ event }) => event === name);
    const seen = index < 0 ? undefined : this.#seen.splice(index, 1)[0];
    if (seen !== undefined) return seen;
    const told = Promise.withResolvers<SubjectEvent>();
    this.#waiting.push({ event: name, take: told.resolve });
    const timer = setTimeout(
      () => told.reject(new Error(`${this.name} told no "${name}" within ${timeout / 1000} s`)),
      timeout,
    );
    try {
      return await Promise.race([told.promise, this.#failed.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves with the next line of plain text that matches; the ones before it are dropped. Rejects as `event` does. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const { text } = await this.event("text");
      if (typeof text === "string" && pattern.test(text)) return text;
    }
  }

  /** Writes a line to the subject's standard input. */
  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Throws when the process has ended: nothing will come of it any more. */
  mustRun(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** 0 where it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Cost from the start of the process to now. */
  cost(): Cost {
    const { pid } = this;
    return {
      wall_s: (performance.now() - this.#started) / 1000,
      cpu_s: this.#cpu.seconds,
      rss_mb: memoryMb(pid, "VmRSS"),
      rss_peak_mb: memoryMb(pid, "VmHWM"),
    };
  }

  /** Asks it to end, and kills it when it has not ended within its patience; resolves with the exit code, null when a signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), this.#patience);
    await gone;
    clearTimeout(timer);
    return child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGTERM");
  }
}
