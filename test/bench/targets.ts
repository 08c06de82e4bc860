/** What a scenario promises, and whether the rounds show it. */

import { figureOf, pairedDifference, pairedRatio, type Rounds, type Spread } from "./stats.ts";

/** What the scenario promises: median of `subject` over `peer`, or of `subject` alone, at most `limit`. */
export interface Target {
  readonly subject: string;
  readonly peer?: string;
  /** How both are compared; as a ratio unless told. */
  readonly by?: "ratio" | "difference";
  readonly figure: string;
  readonly limit: number;
}

/** A target and what became of it. */
export interface Judged extends Target {
  readonly median: number | undefined;
  /** Rounds that count: both subjects have the figure. */
  readonly valid: number;
  /** Undefined when it was not measured: with too few rounds that count, nobody knows. */
  readonly reached: boolean | undefined;
  readonly text: string;
}

/** A target needs so many rounds that count, or every round of a shorter run. */
const enough = 5;

/** Judges one target by the rounds. */
export function judge(target: Target, rounds: Rounds): Judged {
  const { subject, peer, by, figure, limit } = target;
  const sign = by === "difference" ? "-" : "/";
  const what = `${figure}: ${subject}${peer === undefined ? "" : ` ${sign} ${peer}`}`;
  const asked = Math.max(0, ...[...rounds.values()].map(({ length }) => length));
  const value = measured(target, rounds);
  const valid = value?.valid ?? 0;
  if (value === undefined || valid < Math.min(asked, enough)) {
    const ran = rounds.has(subject) && (peer === undefined || rounds.has(peer));
    const why = ran ? `not measured: ${valid} of ${asked} rounds are valid` : "not run";
    return { ...target, median: undefined, valid, reached: undefined, text: `${what} ${why}` };
  }
  const reached = value.median <= limit;
  const judgement = `target at most ${limit}: ${reached ? "reached" : "MISSED"}`;
  const text = `${what} = ${value.median} (${value.min}-${value.max}), ${judgement}`;
  return { ...target, median: value.median, valid, reached, text };
}

function measured({ subject, peer, by, figure }: Target, rounds: Rounds): Spread | undefined {
  if (peer === undefined) return figureOf(rounds, subject, figure);
  const paired = by === "difference" ? pairedDifference : pairedRatio;
  return paired(rounds, subject, peer, figure);
}
