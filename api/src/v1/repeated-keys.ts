/** Keys that an object of JSON has more than once: JavaScript knows the last alone; the API server warns of them, or refuses them (kubernetes: `fieldValidation`). */

import { randomUUID } from "node:crypto";
import { endOfText } from "kopf-ts/kube";

/** Stands before such a key, with a number. Nobody can guess it. */
const mark = `repeated ${randomUUID()} `;
const marked = new RegExp(`"${mark}\\d+ `, "g");

/** What JavaScript puts before all other keys. */
const digits = /^\d+$/;

/**
 * The JSON with other names for all but the last of such keys; where they are digits for the last as well, which would not stay behind them. `withRepeats` undoes it. `json` has to be valid.
 */
export function withoutRepeats(json: string): string {
  let last = 0;
  const pieces = repeatsIn(json).map((start, at) => {
    const piece = `${json.slice(last, start)}"${mark}${at} `;
    last = start + 1;
    return piece;
  });
  return pieces.join("") + json.slice(last);
}

/** What was written of that, with the keys as they were. */
export function withRepeats(json: string): string {
  return json.includes(mark) ? json.replaceAll(marked, '"') : json;
}

/** Where keys begin that are to have another name, in order. */
function repeatsIn(json: string): readonly number[] {
  const places = new Places();
  const repeats = new Set<number>();
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== '"') {
      places.pass(json[at]);
      continue;
    }
    const end = endOfText(json, at);
    const starts = places.takeKey();
    if (starts !== undefined) note(json.slice(at, end), at, starts, repeats);
    at = end - 1;
  }
  return [...repeats].sort((a, b) => a - b);
}

/** Which texts are keys, and of which object. */
class Places {
  /** Where the keys of the objects around begin; undefined for a list. */
  readonly #open: (Map<string, number> | undefined)[] = [];
  #isBeforeKey = false;

  /** Goes over a letter that is in no text. */
  pass(letter: string | undefined): void {
    if (letter === "{") this.#open.push(new Map());
    else if (letter === "[") this.#open.push(undefined);
    else if (letter === "}" || letter === "]") this.#open.pop();
    if (letter === "{" || letter === ",") this.#isBeforeKey = true;
  }

  /** The keys beside the text that comes, if that is one. */
  takeKey(): Map<string, number> | undefined {
    const starts = this.#isBeforeKey ? this.#open.at(-1) : undefined;
    this.#isBeforeKey = false;
    return starts;
  }
}

function note(
  quoted: string,
  start: number,
  starts: Map<string, number>,
  repeats: Set<number>,
): void {
  const key = quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  const before = starts.get(key);
  starts.set(key, start);
  if (before === undefined) return;
  repeats.add(before);
  if (digits.test(key)) repeats.add(start);
}
