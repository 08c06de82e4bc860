/** What one step of making a cluster came to, as a condition tells it (norman: condition/condition.go). */

import {
  ApplyError,
  type Context,
  isConflict,
  messageOf,
  type NormanConditionUpdate,
} from "kopf-ts";
import { reasons } from "./names.ts";

/** A condition, and what asks for another run. */
export interface Step {
  readonly condition: NormanConditionUpdate;
  readonly error?: Error;
}

/** The step is done. `note` says why where that is less than one expects. */
export function holds(type: string, note: Omit<Told, "error"> | undefined = undefined): Step {
  return { condition: { type, status: "True", ...note } };
}

/** The step goes on when something else has come to its end. */
export function waits(type: string, note: Omit<Told, "error">): Step {
  return { condition: { type, status: "Unknown", ...note } };
}

/** A person has to do something, or it is tried again when there is an error. */
export function fails(type: string, { error, ...note }: Told): Step {
  return { condition: { type, status: "False", ...note }, ...(error && { error }) };
}

interface Told {
  readonly reason: string;
  readonly message: string;
  readonly error?: Error;
}

/** The step, failed where `work` throws; see `failure`. */
export async function attempt(
  type: string,
  work: () => Promise<Step>,
  context: Pick<Context, "signal">,
): Promise<Step> {
  try {
    return await work();
  } catch (thrown) {
    return failure(type, thrown, context);
  }
}

/** What was thrown, as a step that failed. Conflicts are thrown again, for they are gone at the next try, and so is the end of the run. */
export function failure(type: string, thrown: unknown, { signal }: Pick<Context, "signal">): Step {
  if (signal.aborted || isConflict(thrown)) throw thrown;
  if (thrown instanceof ApplyError && thrown.errors.some((each) => isConflict(each))) throw thrown;
  const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  return fails(type, { reason: reasons.failed, message: messageOf(thrown), error });
}

/** Whether the next step may begin. */
export function isDone({ condition }: Step): boolean {
  return condition.status === "True";
}
