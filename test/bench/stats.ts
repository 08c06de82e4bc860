/** Medians, ranges and the table of a run. */

/** One figure over all rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** How many rounds it was taken from. */
  readonly valid: number;
}

/** Figures of one round of one subject, by name; the name carries the unit. */
export type Figures = Readonly<Record<string, number>>;

/** What a subject did in one round: its figures, none of them when it failed. */
export interface Round {
  readonly figures: Figures;
  readonly error?: string;
}

/** Every round of every subject. */
export type Rounds = ReadonlyMap<string, readonly Round[]>;

/** What a scenario measured: subject, then figure. */
export type Subjects = Readonly<Record<string, Readonly<Record<string, Spread>>>>;

/** A round that voids its figures; rounds count from 1. */
export interface Failure {
  readonly subject: string;
  readonly round: number;
  readonly error: string;
}

/** Median, smallest and largest of `values`; all 0 for none. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => round(sorted[index] ?? 0);
  const middle = sorted.length >> 1;
  const median =
    sorted.length % 2 === 1
      ? at(middle)
      : round(((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2);
  return { median, min: at(0), max: at(sorted.length - 1), valid: sorted.length };
}

/** Turns the rounds of each subject into spreads. */
export function summarize(rounds: Rounds): Subjects {
  return Object.fromEntries(
    [...rounds].map(([subject, all]) => {
      const names = [...new Set(all.flatMap(({ figures }) => Object.keys(figures)))];
      const spreads = names.map((name) => [
        name,
        spread(all.flatMap(({ figures }) => figures[name] ?? [])),
      ]);
      return [subject, Object.fromEntries(spreads)];
    }),
  );
}

/** The rounds that failed, in the order of subjects. */
export function failuresOf(rounds: Rounds): readonly Failure[] {
  return [...rounds].flatMap(([subject, all]) =>
    all.flatMap(({ error }, index) =>
      error === undefined ? [] : [{ subject, round: index + 1, error }],
    ),
  );
}

/** A figure of one subject over the rounds that have it; undefined when none has. */
export function figureOf(rounds: Rounds, subject: string, figure: string): Spread | undefined {
  return spreadOf((rounds.get(subject) ?? []).flatMap(({ figures }) => figures[figure] ?? []));
}

/**
 * Ratio of two subjects' figures, round by round (they were interleaved), so that a drift of the machine cancels out.
 * Rounds in which either is missing, or the peer's is zero, do not count.
 */
export function pairedRatio(
  rounds: Rounds,
  subject: string,
  peer: string,
  figure: string,
): Spread | undefined {
  const pairs = pairsOf(rounds, subject, peer, figure);
  return spreadOf(pairs.flatMap(([a, b]) => (b === 0 ? [] : [a / b])));
}

/** By how much a subject's figure exceeds its peer's, round by round; rounds in which either is missing do not count. */
export function pairedDifference(
  rounds: Rounds,
  subject: string,
  peer: string,
  figure: string,
): Spread | undefined {
  return spreadOf(pairsOf(rounds, subject, peer, figure).map(([a, b]) => a - b));
}

function pairsOf(
  rounds: Rounds,
  subject: string,
  peer: string,
  figure: string,
): readonly (readonly [number, number])[] {
  const theirs = rounds.get(peer) ?? [];
  return (rounds.get(subject) ?? []).flatMap(({ figures }, round) => {
    const [a, b] = [figures[figure], theirs[round]?.figures[figure]];
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
}

function spreadOf(values: readonly number[]): Spread | undefined {
  return values.length === 0 ? undefined : spread(values);
}

/** With more figures than this, subjects become columns: no terminal is that wide. */
const widest = 12;

/**
 * The subjects as an aligned text table: one row each, first how many of its rounds succeeded, then one column per figure,
 * `median (min-max)`; turned round when there are many figures. Below it, a line for each round that failed.
 */
export function table(rounds: Rounds): string {
  const subjects = summarize(rounds);
  const figures = [...new Set(Object.values(subjects).flatMap((each) => Object.keys(each)))];
  const rows = [...rounds].map(([subject, all]) => [
    subject,
    `${all.filter(({ error }) => error === undefined).length}/${all.length}`,
    ...figures.map((figure) => cell(subjects[subject]?.[figure])),
  ]);
  const failed = failuresOf(rounds).map(
    ({ subject, round, error }) => `${subject}, round ${round}: FAILED: ${error.split("\n")[0]}`,
  );
  const all = [["", "rounds", ...figures], ...rows];
  return [align(figures.length > widest ? turned(all) : all), ...failed].join("\n");
}

function turned(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
}

function cell(value: Spread | undefined): string {
  if (value === undefined) return "-";
  const { median, min, max } = value;
  return min === max ? String(median) : `${median} (${min}-${max})`;
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
