/** What follows from several errors at once, as applySet throws them. Pure. */

import type { Verdict } from "./verdict.ts";

/** Deeper ones count as one error: nobody nests like that on purpose. */
const DEEPEST = 4;

/** The errors that something thrown consists of: those of an ApplyError or another AggregateError, or it alone. */
export function errorsIn(thrown: unknown, depth = 0): readonly unknown[] {
  if (!(thrown instanceof AggregateError) || depth === DEEPEST) return [thrown];
  const errors: unknown = thrown.errors;
  if (!Array.isArray(errors) || errors.length === 0) return [thrown];
  return errors.flatMap((error) => errorsIn(error, depth + 1));
}

/**
 * One verdict of several: a conflict that is retried quietly comes first, then what is retried, at the earliest time that one of them asks
 * for. Only when none is retried does the key wait for a change.
 */
export function mostUrgent(verdicts: readonly Verdict[], thrown: unknown): Verdict {
  const retried = verdicts.filter(({ again }) => again !== undefined);
  const decisive =
    retried.find(({ outcome }) => outcome === "requeue") ??
    retried.find(({ again }) => again === "backoff") ??
    retried.toSorted((a, b) => Number(a.again) - Number(b.again))[0] ??
    verdicts.find(({ outcome }) => outcome === "terminal") ??
    verdicts[0];
  if (decisive === undefined) throw new TypeError("no verdict to choose from");
  const all = { ...decisive, ...toldOf(decisive, verdicts, thrown) };
  return decisive.again === "backoff" ? { ...all, ...boundsOf(retried) } : all;
}

/** When the earliest of them would run again. */
function boundsOf(retried: readonly Verdict[]): Pick<Verdict, "atLeast" | "atMost" | "conflict"> {
  const delays = retried.flatMap(({ again }) => (typeof again === "number" ? [again] : []));
  const waits = retried.flatMap(({ again, atLeast = 0 }) => (again === "backoff" ? [atLeast] : []));
  return {
    atLeast: Math.min(...waits),
    ...(delays.length > 0 && { atMost: Math.min(...delays) }),
    ...(retried.some(({ conflict }) => conflict) && { conflict: true }),
  };
}

const LEVELS = ["debug", "warn", "error"] as const;

/** All errors in one line, as loud as the loudest of them unless a conflict is tried again first, with the first hint. */
function toldOf(
  decisive: Verdict,
  verdicts: readonly Verdict[],
  thrown: unknown,
): Pick<Verdict, "told"> {
  if (decisive.told === undefined) return {};
  const { message } = decisive.told;
  const loudest = Math.max(...verdicts.map(({ told }) => LEVELS.indexOf(told?.level ?? "debug")));
  const level = decisive.outcome === "requeue" ? decisive.told.level : (LEVELS[loudest] ?? "error");
  const hint = verdicts.find(({ told }) => told?.hint !== undefined)?.told?.hint;
  const [shared, ...others] = new Set(verdicts.map(({ told }) => told?.shared));
  return {
    told: {
      ...{ level, message, error: thrown },
      ...(hint !== undefined && { hint }),
      ...(shared !== undefined && others.length === 0 && { shared }),
    },
  };
}
