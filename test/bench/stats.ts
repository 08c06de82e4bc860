/** Medians, ranges and the table of a run. */

/** One figure over all rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Figures of one round of one subject, by name; the name carries the unit. */
export type Figures = Readonly<Record<string, number>>;

/** What a scenario measured: subject, then figure. */
export type Subjects = Readonly<Record<string, Readonly<Record<string, Spread>>>>;

/** Median, smallest and largest of `values`; all 0 for none. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => round(sorted[index] ?? 0);
  const middle = sorted.length >> 1;
  const median =
    sorted.length % 2 === 1
      ? at(middle)
      : round(((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2);
  return { median, min: at(0), max: at(sorted.length - 1) };
}

/** Turns the rounds of each subject into spreads. */
export function summarize(rounds: ReadonlyMap<string, readonly Figures[]>): Subjects {
  return Object.fromEntries(
    [...rounds].map(([subject, all]) => {
      const names = [...new Set(all.flatMap((figures) => Object.keys(figures)))];
      const spreads = names.map((name) => [
        name,
        spread(all.flatMap((figures) => figures[name] ?? [])),
      ]);
      return [subject, Object.fromEntries(spreads)];
    }),
  );
}

/**
 * Ratio of two subjects' figures, round by round (they were interleaved), so that a drift of the machine cancels out.
 * Rounds in which either is missing or zero do not count.
 */
export function pairedRatio(
  rounds: ReadonlyMap<string, readonly Figures[]>,
  subject: string,
  peer: string,
  figure: string,
): Spread | undefined {
  const ours = rounds.get(subject) ?? [];
  const theirs = rounds.get(peer) ?? [];
  const ratios = ours.flatMap((figures, round) => {
    const [a, b] = [figures[figure], theirs[round]?.[figure]];
    return a === undefined || b === undefined || b === 0 ? [] : [a / b];
  });
  return ratios.length === 0 ? undefined : spread(ratios);
}

/** The subjects as an aligned text table: one row each, one column per figure, `median (min-max)`. */
export function table(subjects: Subjects): string {
  const figures = [...new Set(Object.values(subjects).flatMap((each) => Object.keys(each)))];
  const rows = Object.entries(subjects).map(([subject, each]) => [
    subject,
    ...figures.map((figure) => cell(each[figure])),
  ]);
  return align([["", ...figures], ...rows]);
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
