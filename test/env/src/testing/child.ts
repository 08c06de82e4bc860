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

/** The command lines of all live processes that contain `needle`, zombies excepted. */
export function processesWith(needle: string): readonly string[] {
  const lines = existsSync("/proc/self/cmdline") ? fromProc() : fromPs();
  return lines.filter((line) => line.includes(needle));
}

function fromProc(): string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return ""; // it ended since
      }
    });
}

function fromPs(): string[] {
  return execFileSync("ps", ["-axww", "-o", "args="], { encoding: "utf8" }).split("\n");
}
