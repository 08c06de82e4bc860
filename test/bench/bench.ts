/** What every scenario gets: a control plane, the peers, options, and a way to run subjects in turn. */

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";
import { join, resolve } from "node:path";
import type { ControlPlane } from "@drover/env";
import type { Client } from "kopf-ts";
import { machineOf, paces } from "./machine.ts";
import type { Peers } from "./peers.ts";
import { type Figures, failuresOf, type Round, type Rounds, summarize, table } from "./stats.ts";
import { type Judged, judge, type Target } from "./targets.ts";
import { turnsIn } from "./turns.ts";

/** Folder of the sources, also when this runs from dist. */
export const folder: string = resolve(import.meta.dirname, "../../bench");

/** What every scenario is told. */
export interface Surroundings {
  /** Size asked for on the command line; undefined for the scenario's own. */
  readonly n: number | undefined;
  readonly rounds: number;
  /** How long each timed phase takes, in milliseconds; undefined for the scenario's own. */
  readonly time: number | undefined;
  /** The same for phases in which nothing happens. */
  readonly idle: number | undefined;
  /** Changes per second where objects change; undefined for the scenario's own. */
  readonly changes: number | undefined;
  /** Whether servers of /v1 read Pods as recorded bytes; undefined for the scenario's own. */
  readonly replay: boolean | undefined;
  /** Whether a subject takes part. */
  wants(subject: string): boolean;
  /** Progress for the person at the terminal. */
  say(text: string): void;
}

/** Surroundings of a scenario that shares its control plane with others. */
export interface Bench extends Surroundings {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly peers: Peers;
}

/** What a scenario found. */
export interface Outcome {
  readonly n: number;
  readonly rounds: Rounds;
  readonly targets: readonly Target[];
  /** Peers that could not run, and why. */
  readonly missing: Readonly<Record<string, string>>;
  /** Whether Pods came from recorded bytes. */
  readonly replayed?: boolean;
}

/** A scenario; one file each. */
export type Scenario = Named & (Sharing | Apart);

interface Named {
  readonly name: string;
  readonly about: string;
}

/** One that runs on the control plane of all. */
interface Sharing {
  readonly apart?: false;
  run(bench: Bench): Promise<Outcome>;
}

/** One that starts its own: no other runs beside it. */
interface Apart {
  readonly apart: true;
  run(bench: Surroundings): Promise<Outcome>;
}

/** What `interleave` needs of a bench. */
export type Turns = Pick<Surroundings, "rounds" | "wants" | "say">;

/**
 * Runs every subject once per round, in turn, so that all meet the same drift of the machine, and in an order in which
 * nobody always comes after the same mess. A failure voids the sample, not the run. How fast the machine was before and after a turn is among its figures.
 */
export async function interleave(
  { rounds, wants, say }: Turns,
  subjects: Readonly<Record<string, (round: number) => Promise<Figures>>>,
  look: () => readonly number[] = paces,
): Promise<Rounds> {
  const chosen = Object.entries(subjects).filter(([name]) => wants(name));
  const done = new Map<string, Round[]>(chosen.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of turnsIn(round, chosen)) {
      say(`round ${round + 1}/${rounds}: ${name}`);
      const result = await attempt(() => run(round), look);
      if (result.error !== undefined) say(`  ${name} failed: ${result.error}`);
      done.get(name)?.push(result);
    }
  }
  return done;
}

async function attempt(run: () => Promise<Figures>, look: () => readonly number[]): Promise<Round> {
  try {
    const before = look();
    const figures = await run();
    return { figures: { ...figures, ...machineOf([...before, ...look()]) } };
  } catch (error) {
    return { figures: {}, error: error instanceof Error ? error.message : String(error) };
  }
}

/** What figures hold for. */
export interface Circumstances {
  readonly commit: string;
  /** Of the last minute, five and fifteen, before the scenario. */
  readonly load_before: readonly number[];
}

/** Prints the table and the ratios, and writes `results/<scenario>.json`. */
export function report({ name }: Scenario, outcome: Outcome, circumstances: Circumstances): void {
  const source = outcome.replayed === true ? ", from recorded bytes" : "";
  process.stdout.write(`\n${name}, n = ${outcome.n}${source}\n${table(outcome.rounds)}\n`);
  for (const [peer, why] of Object.entries(outcome.missing)) {
    process.stdout.write(`${peer}: not run (${why})\n`);
  }
  const ratios = outcome.targets.map((target) => judge(target, outcome.rounds));
  for (const { text } of ratios) process.stdout.write(`${text}\n`);
  write(name, outcome, circumstances, ratios);
}

/** Subjects that are no peers. */
const ours = ["kopf-ts", "drover"];

/** Whether a subject of ours failed a round: then the run itself has failed. */
export function oursFailed({ rounds }: Outcome): boolean {
  return failuresOf(rounds).some(({ subject }) => ours.includes(subject));
}

function write(
  scenario: string,
  outcome: Outcome,
  circumstances: Circumstances,
  ratios: readonly Judged[],
): void {
  const results = join(folder, "results");
  mkdirSync(results, { recursive: true });
  const content = {
    scenario,
    n: outcome.n,
    replayed: outcome.replayed ?? false,
    rounds: Math.max(0, ...[...outcome.rounds.values()].map((each) => each.length)),
    ...circumstances,
    load_after: loadavg(),
    node: process.version,
    kernel: release(),
    processors: cpus().map(({ model }) => model),
    subjects: summarize(outcome.rounds),
    targets: ratios.map(({ text: _, ...ratio }) => ratio),
    failures: failuresOf(outcome.rounds),
    missing: outcome.missing,
    samples: Object.fromEntries(
      [...outcome.rounds].map(([subject, all]) => [subject, all.map(({ figures }) => figures)]),
    ),
  };
  writeFileSync(join(results, `${scenario}.json`), `${JSON.stringify(content, null, 2)}\n`);
}
