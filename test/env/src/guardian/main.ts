// The guardian: a small process between a launcher and the programs it starts. It runs in a session
// of its own, so a terminal's Ctrl-C or hang-up reaches neither it nor the programs, and it reads a
// pipe whose other end only the launcher holds. When that end closes, for whatever reason including
// SIGKILL, the guardian ends the programs and itself. It is started before any of them, so there is
// no moment at which a killed launcher leaves one behind.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { settles } from "../wait.ts";
import { type Event, type GuardianOptions, type Order, readLines, type Start } from "./protocol.ts";

interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

const options: GuardianOptions = JSON.parse(process.argv[2] ?? "{}");
const running = new Map<number, Running>();
let stopping: Promise<void> | undefined;

process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);
process.on("SIGTERM", () => void stop());
process.stdout.on("error", () => undefined); // the launcher is gone; end of input says the same

process.stdin.setEncoding("utf8");
try {
  for await (const order of readLines(process.stdin)) obey(order as Order);
} catch {
  // a torn pipe ends the input like a closed one
}
await stop();

function obey(order: Order): void {
  if (stopping !== undefined) return;
  if (order.op === "start") {
    start(order);
  } else if (order.op === "stop") {
    void stop();
  } else {
    const { process: child } = running.get(order.id) ?? {};
    if (child !== undefined) signal(child, order.signal);
  }
}

function start({ id, command, args, cwd, env, log }: Start): void {
  const output = openSync(log, "a", 0o600);
  const guarded = { ...env, DROVER_PARENT_PID: String(process.pid) };
  const stdio: StdioOptions = ["ignore", output, output];
  const child = spawn(command, args, { cwd, env: guarded, stdio, detached: true });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once("error", ({ message }) => tell({ event: "failed", id, message }));
    child.once("error", () => resolve());
    child.once("exit", (code, signal) => {
      tell({ event: "exited", id, code, signal });
      resolve();
    });
  });
  if (child.pid === undefined) return;
  running.set(id, { process: child, ended });
  void ended.then(() => running.delete(id));
  tell({ event: "started", id, pid: child.pid });
}

/** Each program leads a process group, so that what it started in turn (a compiler) ends with it. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // it has ended, only the event has not arrived yet
  }
}

function tell(event: Event): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function stop(): Promise<void> {
  stopping ??= endAll(performance.now() + options.grace);
  await stopping;
  try {
    for (const path of options.remove) rmSync(path, { recursive: true, force: true });
  } finally {
    process.exit(0);
  }
}

/** Newest first: the controller manager before its kube-apiserver, that before its etcd. */
async function endAll(deadline: number): Promise<void> {
  for (const { process: child, ended } of [...running.values()].reverse()) {
    signal(child, "SIGTERM");
    signal(child, "SIGCONT"); // a test may have stopped it
    const left = Math.max(deadline - performance.now(), 0);
    if (!(await settles(ended, left))) signal(child, "SIGKILL");
    await ended;
  }
}
