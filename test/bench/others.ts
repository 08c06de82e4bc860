/** What others took while something was measured: on few cores it is in everybody's times. */

import { readdirSync } from "node:fs";
import { statOf, ticksPerSecond } from "./cpu.ts";

/** A process that is not measured. */
export interface Other {
  readonly pid: number;
  readonly name: string;
  /** CPU seconds per second, its ended children's included. */
  readonly cores: number;
}

/** Of a process so far, in ticks. */
interface Taken {
  readonly name: string;
  readonly ticks: number;
}

/** The pids of those that may disturb. */
export type Running = () => readonly number[];

/** Every process of the machine. */
const everybody: Running = () => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** All processes but some and this one, from its making on. */
export class Others {
  readonly #mine: ReadonlySet<number>;
  readonly #running: Running;
  readonly #before: ReadonlyMap<number, Taken>;
  readonly #begin = performance.now();

  constructor(mine: readonly number[], running: Running = everybody) {
    this.#mine = new Set([...mine, process.pid]);
    this.#running = running;
    this.#before = takenBy(running());
  }

  /** The one that has taken most. */
  get busiest(): Other {
    const seconds = (performance.now() - this.#begin) / 1000;
    const others = [...takenBy(this.#running())].filter(([pid]) => !this.#mine.has(pid));
    const taken = others.map(([pid, { name, ticks }]) => {
      const before = this.#before.get(pid)?.ticks ?? 0;
      return { pid, name, cores: (ticks - before) / ticksPerSecond / seconds };
    });
    const nobody = { pid: 0, name: "nobody", cores: 0 };
    return taken.reduce<Other>((a, b) => (b.cores > a.cores ? b : a), nobody);
  }
}

function takenBy(pids: readonly number[]): ReadonlyMap<number, Taken> {
  return new Map(pids.flatMap((pid) => of(pid).map((taken) => [pid, taken] as const)));
}

/** With its ended children, of which the kernel adds all that they ever took; nothing of one that has just ended itself. */
function of(pid: number): readonly Taken[] {
  try {
    const { name, own, children } = statOf(pid);
    return [{ name, ticks: own + children }];
  } catch {
    return [];
  }
}

/** So much of a core may another process take. */
const most = 0.1;
/** How often something is measured until it counts as undisturbed. */
const tries = 5;

/** Where and how long `undisturbed` looks for others. */
export interface Quiet {
  /** Every process of the machine unless told. */
  readonly running?: Running;
  /** Milliseconds that it waits for others to be done before it measures again; 30 s unless told. */
  readonly patience?: number;
}

/**
 * Measures, again where another process took more than a tenth of a core meanwhile, once it no longer does; those that are measured are `mine`. Rejects with that process when it
 * did so five times.
 */
export async function undisturbed<T>(
  mine: readonly number[],
  measure: () => Promise<T>,
  { running = everybody, patience = 30_000 }: Quiet = {},
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    const others = new Others(mine, running);
    const found = await measure();
    const { pid, name, cores } = others.busiest;
    if (cores <= most) return found;
    if (left === 0) {
      const took = `${name} (pid ${pid}) took ${cores.toFixed(2)} of a core meanwhile`;
      throw new Error(`${took}, each of ${tries} times: measure when it does not`);
    }
    await untilQuiet(mine, running, patience);
  }
}

/** Milliseconds in which nobody may take more. */
const look = 1000;

/** Waits until others are done with what they do now, as a collection of garbage, which takes longer than some measurements; when patience is over, the look that has begun is the last. */
async function untilQuiet(
  mine: readonly number[],
  running: Running,
  patience: number,
): Promise<void> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    const others = new Others(mine, running);
    await new Promise((resolve) => setTimeout(resolve, look)); // CPU is counted over this time
    if (others.busiest.cores <= most) return;
  }
}
