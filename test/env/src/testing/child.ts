// Other processes for tests: node running a piece of this workspace, and a look at what runs.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A node process that runs `script`, an ES module, and what it has written so far. */
export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts node with `script`, in a process group of its own; `$file` in it stands for the URL of a module here. */
export function startChild(script: string, env: Readonly<Record<string, string>> = {}): Child {
  const source = script.replaceAll(/\$\{?([\w/-]+)\.js\}?/g, (_, file) =>
    new URL(`../${file}.js`, import.meta.url).toString(),
  );
  return watch(
    spawn(process.execPath, ["--input-type=module", "-e", source], {
      env: { ...process.env, NODE_OPTIONS: "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    }),
  );
}

/** Starts the command line of this workspace. */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child {
  const cli = new URL("../cli.js", import.meta.url).pathname;
  return watch(
    spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, NODE_OPTIONS: "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    }),
  );
}

function watch(child: ChildProcess): Child {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "exit").then(([code, signal]) => signal ?? code);
  return { pid: child.pid ?? 0, process: child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** A process as the system lists it. */
export interface Listed {
  readonly pid: number;
  readonly command: string;
}

/** All live processes, zombies excepted, whose command line contains `needle`. */
export function processesWith(needle: string): readonly Listed[] {
  const all = existsSync("/proc/self/cmdline") ? fromProc() : fromPs();
  return all.filter(({ command }) => command.includes(needle));
}

function fromProc(): Listed[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.map((pid) => ({ pid: Number(pid), command: commandLine(pid) }));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // it ended since
  }
}

function fromPs(): Listed[] {
  const lines = execFileSync("ps", ["-axww", "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
  return lines.map((line) => {
    const [, pid, command] = /^\s*(\d+) (.*)/.exec(line) ?? [];
    return { pid: Number(pid), command: command ?? "" };
  });
}
