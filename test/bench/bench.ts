/** What every scenario gets: a control plane, the peers, options, and a way to run subjects in turn. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ControlPlane } from "@drover/env";
import type { Client } from "kopf-ts";
import type { Peers } from "./peers.ts";
import {
  type Figures,
  pairedRatio,
  type Spread,
  type Subjects,
  spread,
  summarize,
  table,
} from "./stats.ts";

/** Folder of the sources, also when this runs from dist. */
export const folder: string = resolve(import.meta.dirname, "../../bench");

/** Surroundings of a scenario. */
export interface Bench {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly peers: Peers;
  /** Size asked for on the command line; undefined for the scenario's own. */
  readonly n: number | undefined;
  readonly rounds: number;
  /** Whether a subject takes part. */
  wants(subject: string): boolean;
  /** Progress for the person at the terminal. */
  say(text: string): void;
}

/** What the scenario promises: median of `subject` over `peer`, or of `subject` alone, at most `limit`. */
export interface Target {
  readonly subject: string;
  readonly peer?: string;
  readonly figure: string;
  readonly limit: number;
}

/** What a scenario found. */
export interface Outcome {
  readonly n: number;
  readonly rounds: ReadonlyMap<string, readonly Figures[]>;
  readonly targets: readonly Target[];
  /** Peers that could not run, and why. */
  readonly missing: Readonly<Record<string, string>>;
}

/** A scenario; one file each. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  run(bench: Bench): Promise<Outcome>;
}

/** Runs every subject once per round, in turn, so that all meet the same drift of the machine. A failure voids the sample, not the run. */
export async function interleave(
  bench: Bench,
  subjects: Readonly<Record<string, (round: number) => Promise<Figures>>>,
): Promise<Map<string, Figures[]>> {
  const chosen = Object.entries(subjects).filter(([name]) => bench.wants(name));
  const rounds = new Map<string, Figures[]>(chosen.map(([name]) => [name, []]));
  for (let round = 0; round < bench.rounds; round++) {
    for (const [name, run] of chosen) {
      bench.say(`round ${round + 1}/${bench.rounds}: ${name}`);
      try {
        rounds.get(name)?.push(await run(round));
      } catch (error) {
        process.stderr.write(
          `  ${name} failed: ${error instanceof Error ? error.message : error}\n`,
        );
        rounds.get(name)?.push({});
      }
    }
  }
  return rounds;
}

/** Prints the table and the ratios, and writes `results/<scenario>.json`. */
export function report({ name }: Scenario, outcome: Outcome, commit: string): void {
  const subjects = summarize(outcome.rounds);
  process.stdout.write(`\n${name}, n = ${outcome.n}\n${table(subjects)}\n`);
  for (const [peer, why] of Object.entries(outcome.missing)) {
    process.stdout.write(`${peer}: not run (${why})\n`);
  }
  const ratios = outcome.targets.map((target) => judged(outcome, target));
  for (const { text } of ratios) process.stdout.write(`${text}\n`);
  write(name, outcome, subjects, commit, ratios);
}

interface Judged extends Target {
  readonly median: number | undefined;
  readonly reached: boolean | undefined;
  readonly text: string;
}

function judged(outcome: Outcome, target: Target): Judged {
  const { subject, peer, figure, limit } = target;
  const what = `${figure}: ${subject}${peer === undefined ? "" : ` / ${peer}`}`;
  const value =
    peer === undefined
      ? figureOf(outcome, subject, figure)
      : pairedRatio(outcome.rounds, subject, peer, figure);
  if (value === undefined) {
    return { ...target, median: undefined, reached: undefined, text: `${what} not run` };
  }
  const reached = value.median <= limit;
  const judgement = `target at most ${limit}: ${reached ? "reached" : "MISSED"}`;
  const text = `${what} = ${value.median} (${value.min}-${value.max}), ${judgement}`;
  return { ...target, median: value.median, reached, text };
}

function figureOf({ rounds }: Outcome, subject: string, figure: string): Spread | undefined {
  const values = (rounds.get(subject) ?? []).flatMap((figures) => figures[figure] ?? []);
  return values.length === 0 ? undefined : spread(values);
}

function write(
  scenario: string,
  outcome: Outcome,
  subjects: Subjects,
  commit: string,
  ratios: readonly Judged[],
): void {
  const results = join(folder, "results");
  mkdirSync(results, { recursive: true });
  const content = {
    scenario,
    n: outcome.n,
    rounds: Math.max(...[...outcome.rounds.values()].map((each) => each.length)),
    commit,
    node: process.version,
    subjects,
    targets: ratios.map(({ text: _, ...ratio }) => ratio),
    missing: outcome.missing,
  };
  writeFileSync(join(results, `${scenario}.json`), `${JSON.stringify(content, null, 2)}\n`);
}
