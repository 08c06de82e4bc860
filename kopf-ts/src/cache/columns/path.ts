/** Paths into objects: `status.phase`, `metadata.labels[app.kubernetes.io/name]`, `spec.containers[0].image`. */

import type { JsonPath } from "../../watch/index.ts";

/** The keys and array positions of a path, in order; digits in brackets are a position. Throws for a text that is no path. */
export function parsePath(text: string): JsonPath {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const step = STEP.exec(text);
    if (step === null || (step[1] !== undefined) !== (at === 0)) {
      throw new Error(`not a path: ${text}`);
    }
    const [, first, next, bracketed = ""] = step;
    const position = /^\d+$/.test(bracketed);
    steps.push(first ?? next ?? (position ? Number(bracketed) : bracketed));
  }
  if (steps.length === 0) throw new Error("not a path: the text is empty");
  return steps;
}

/** A name at the start, then `.name` or `[anything]`. */
const STEP = /([^.[\]]+)|\.([^.[\]]+)|\[([^\]]+)\]/y;
