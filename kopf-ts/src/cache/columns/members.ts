/** The members of lists: a column keeps a list as one text, joined by `|`, which does not tell `["a|b"]` from `["a", "b"]`. */

import { longest, toText } from "./to-text.ts";

/**
 * The members of a value where its text, taken apart at each `|`, would yield others: those of a list with a `|` in one of them, of an empty
 * list, and of a single text with a `|`. Undefined for all others, and for what is too long or too deep to be told apart.
 */
export function oddMembers(
  value: unknown,
  text: string | undefined,
): readonly string[] | undefined {
  if (text === undefined || text.length >= longest) return undefined;
  if (!Array.isArray(value)) return text.includes("|") ? [text] : undefined;
  if (value.some(Array.isArray) || bars(text) === value.length - 1) return undefined;
  return value.map((member) => toText(member) ?? "");
}

/** Whether a value has a member; `odd` is what oddMembers said of it. */
export function hasMember(
  text: string | undefined,
  odd: readonly string[] | undefined,
  member: string,
): boolean {
  if (odd !== undefined) return odd.includes(member);
  if (text === undefined || member.includes("|") || !text.includes(member)) return false;
  return text === member || text.split("|").includes(member);
}

function bars(text: string): number {
  let count = 0;
  for (let at = text.indexOf("|"); at >= 0; at = text.indexOf("|", at + 1)) count++;
  return count;
}
