/** metadata.state, and what is added to conditions. */

import { flatText } from "../flat-text.ts";
import { flagsOf, type Summary, type SummaryOptions } from "../summary/summary.ts";
import { listAt, mapAt, textAt } from "../tree.ts";

/** `"state":{...}`. */
export function stateText({ state, error, transitioning, messages }: Summary): string {
  const written = { error, message: messages.join(":"), name: state, transitioning };
  return flatText('"state":', JSON.stringify(written));
}

/** The state of a Pod: its STATUS with the capitals that it begins with in lower case (wrangler: pkg/data/convert, LowerTitle). */
export function podState(status: string): string {
  const letters = [...status];
  for (const [index, letter] of letters.entries()) {
    const next = letters[index + 1];
    const isLeading = index === 0 || next === undefined || isCapital(next);
    if (!isCapital(letter) || !isLeading) break;
    letters[index] = letter.toLowerCase();
  }
  return letters.join("");
}

function isCapital(letter: string): boolean {
  return /^\p{Lu}$/u.test(letter);
}

/** What is added to one condition. */
export interface ConditionAddition {
  readonly error: boolean;
  readonly transitioning: boolean;
  readonly lastUpdateTime?: string;
}

/** What is added to a condition of a status (wrangler: pkg/summary/condition.go, NormalizeConditions). */
export function additionTo(
  object: unknown,
  condition: unknown,
  options: SummaryOptions,
): ConditionAddition {
  const flags = flagsOf(object, condition, options);
  if (textAt(condition, "lastUpdateTime") !== "") return flags;
  return { ...flags, lastUpdateTime: textAt(condition, "lastTransitionTime") };
}

/** The same as members, without a comma at either end. */
export function membersOf(addition: ConditionAddition | undefined): string {
  return addition === undefined ? "" : JSON.stringify(addition).slice(1, -1);
}

/** The conditions of a status, those that are objects. */
export function conditionsIn(object: unknown): readonly unknown[] {
  return listAt(object, "status", "conditions").filter((each) => mapAt(each) !== undefined);
}
