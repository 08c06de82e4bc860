/** What a cluster holds as lines, now and earlier. */

import { eventually } from "./drover.ts";

/** Objects that are in only one of two lists, a line each; a duplicate is too much. Empty when the lists are equal. */
export function difference(found: readonly string[], wanted: readonly string[]): string {
  const without = (list: readonly string[], others: readonly string[]): readonly string[] => {
    const rest = [...others];
    return list.filter((line) => {
      const at = rest.indexOf(line);
      if (at >= 0) rest.splice(at, 1);
      return at < 0;
    });
  };
  const tooMuch = without(found, wanted).map((line) => `too much: ${line}`);
  return [...tooMuch, ...without(wanted, found).map((line) => `missing: ${line}`)].join("\n");
}

/** What is there once nothing has changed at several looks. */
export async function settled(
  look: () => Promise<readonly string[]>,
  within = 60_000,
): Promise<readonly string[]> {
  let last = await look();
  let same = 0;
  return eventually(
    "end of changes",
    async () => {
      const now = await look();
      same = difference(now, last) === "" ? same + 1 : 0;
      last = now;
      return same > 3 ? now : undefined;
    },
    within,
  );
}

/** Waits until the lists are equal; answers what they still differ in when that takes too long. */
export async function becomes(
  look: () => Promise<readonly string[]>,
  wanted: readonly string[],
  within = 60_000,
): Promise<string> {
  let left = "";
  const isEqual = async (): Promise<true | undefined> => {
    left = difference(await look(), wanted);
    return left === "" || undefined;
  };
  await eventually("equal lists", isEqual, within).catch(() => undefined);
  return left;
}
