/** CPU that processes take, read from /proc. */

import { readdirSync, readFileSync } from "node:fs";

/** Of the kernel's times in /proc. */
export const ticksPerSecond = 100;
/** What is read in ticks is less than what there was by up to two of them, in seconds. */
const coarse = 2 / ticksPerSecond;

/**
 * User and system CPU of one process, by the kernel's scheduler: 300 answers of 0.3 ms are nine ticks. Where threads have ended since the last reading, what they took after it is
 * missing until it is more than two ticks.
 */
export class CpuMeter {
  readonly #pid: number;
  /** In nanoseconds, by thread; ended ones stay. */
  readonly #threads = new Map<string, number>();
  /** Seconds of threads that nobody has seen, or whose number another one has now. */
  #unseen = 0;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** CPU seconds from its start to now. Throws when it has ended. */
  get seconds(): number {
    const all = inTicks(this.#pid);
    this.#look();
    const missing = all - this.#known;
    if (missing > coarse) this.#unseen += missing;
    return this.#known;
  }

  get #known(): number {
    return [...this.#threads.values()].reduce((sum, each) => sum + each, 0) / 1e9 + this.#unseen;
  }

  #look(): void {
    const tasks = `/proc/${this.#pid}/task`;
    for (const thread of readdirSync(tasks)) {
      const taken = takenBy(`${tasks}/${thread}`);
      const before = this.#threads.get(thread) ?? 0;
      if (taken < before) this.#unseen += before / 1e9;
      this.#threads.set(thread, taken);
    }
  }
}

/** Of a thread (first field of schedstat, in nanoseconds); 0 for one that has just ended, and where the kernel does not tell. */
function takenBy(task: string): number {
  try {
    return Number(readFileSync(`${task}/schedstat`, "utf8").split(" ", 1)[0]);
  } catch {
    return 0;
  }
}

/** Of all threads, ended ones too, in seconds. */
function inTicks(pid: number): number {
  return statOf(pid).own / ticksPerSecond;
}

/** What /proc/PID/stat says of a process; times in ticks. */
export interface Stat {
  readonly name: string;
  /** utime and stime. */
  readonly own: number;
  /** cutime and cstime: of children that have ended and were waited for. */
  readonly children: number;
}

/** Throws when it has ended. */
export function statOf(pid: number): Stat {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")"); // a name may have brackets and blanks
  const fields = stat
    .slice(end + 2)
    .split(" ")
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  const name = stat.slice(stat.indexOf("(") + 1, end);
  return { name, own: utime + stime, children: cutime + cstime };
}
