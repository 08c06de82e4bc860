// Questions about other processes.
import { readFileSync } from "node:fs";

/** Names one process for good: ids are reused, start times of the same id are not. */
export interface ProcessId {
  readonly pid: number;
  /** The kernel's start time in clock ticks; empty where there is no /proc. */
  readonly started: string;
}

/** This moment's process behind `pid`. */
export function identify(pid: number): ProcessId {
  return { pid, started: stat(pid)?.started ?? "" };
}

/** False once the process has ended, also while it is a zombie nobody has waited for. */
export function isAlive({ pid, started }: ProcessId): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const now = stat(pid);
  if (now === undefined) return true;
  return now.state !== "Z" && (started === "" || now.started === started);
}

/** Fields 3 and 22 of /proc/<pid>/stat; the name before them may hold blanks and parentheses. */
function stat(pid: number): { state: string; started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
