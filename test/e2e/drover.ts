/** Runs the real executable and the real kubectl, as a person at a terminal does. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

/** The repository, from the compiled test. */
export const root: string = resolve(import.meta.dirname, "../../..");

const main = join(root, "server/dist/main.js");

/** Options of `drover dev` and `drover server` that leave every port of theirs, but that of the metrics, to the system. */
export const anyPorts: readonly string[] = [
  ...["--https-listen-port", "0", "--http-listen-port", "0", "--webhook-listen-port", "0"],
];

/** What a finished command said. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a program runs. */
export interface Surroundings {
  readonly cwd: string;
  /** Beside the environment of the tests, without its KUBECONFIG. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gives it a process group of its own, as a shell does with what is typed into it. */
  readonly group?: boolean;
}

/** What a terminal would have: nothing of the tests, nor of the make that runs them. */
export function clean(): NodeJS.ProcessEnv {
  const { KUBECONFIG: _1, MAKEFLAGS: _2, MFLAGS: _3, MAKELEVEL: _4, ...inherited } = process.env;
  return inherited;
}

/** A working directory that goes with the test. */
export class Workplace implements Disposable {
  readonly dir: string = mkdtempSync(join(tmpdir(), "drover-e2e-"));

  /** Path of a file below `.drover/`. */
  state(...parts: readonly string[]): string {
    return join(this.dir, ".drover", ...parts);
  }

  /** Processes that still run and name this directory, as `pid command`. */
  processes(): readonly string[] {
    return readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((pid) => {
        const command = commandOf(pid);
        return command.includes(this.dir) ? [`${pid} ${command}`] : [];
      });
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** A program of ours, running. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = "";

  constructor(command: string, args: readonly string[], surroundings: Surroundings) {
    const { cwd, env = {}, group = false } = surroundings;
    this.#child = spawn(command, args, {
      ...{ cwd, env: { ...clean(), ...env }, detached: group },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
    this.#ended = new Promise((resolve) => this.#child.once("exit", resolve));
  }

  /** Everything printed so far, on both streams. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** How it ended, by exit code or signal; undefined while it runs. */
  get end(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    return signalCode ?? exitCode?.toString();
  }

  /** Waits until the output matches; fails with the output when the process ends first or time is up. */
  async prints(pattern: RegExp, timeout = 60_000): Promise<RegExpExecArray> {
    return eventually(
      `output matching ${pattern}`,
      () => {
        const match = pattern.exec(this.#output);
        if (match === null && this.#child.exitCode !== null) {
          throw new Ended(`ended with ${this.#child.exitCode}:\n${this.#output}`);
        }
        return match ?? undefined;
      },
      timeout,
      () => this.#output,
    );
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ctrl-C, for a program with a group of its own: the terminal tells all of it. */
  interrupt(): void {
    process.kill(-this.pid, "SIGINT");
  }

  /** The exit code; null when a signal ended it. */
  async ended(): Promise<number | null> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGINT");
      const late = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
      await this.#ended;
      clearTimeout(late);
    }
  }
}

class Ended extends Error {}

/** Runs `drover` to its end. */
export async function drover(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return run(process.execPath, [main, ...args], { cwd, env: { ...clean(), ...env } });
}

/** Starts `drover`. */
export function startDrover(args: readonly string[], surroundings: Surroundings): Program {
  return new Program(process.execPath, [main, ...args], surroundings);
}

/** Runs a command to its end. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Gets an https URL, whoever signed its certificate. */
export async function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).on("error", reject);
  });
}

/** Polls until `probe` gives a value; an Ended error fails at once. */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  timeout: number,
  context: () => string = () => "",
): Promise<T> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > deadline) {
      throw new Error(`no ${what} within ${timeout / 1000} s\n${context()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50)); // until it is probed again, before the deadline
  }
}
