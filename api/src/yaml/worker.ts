/** The thread that reads one YAML text. It ends when it has said what it found. */

import { parentPort, workerData } from "node:worker_threads";
import { parseDocument } from "yaml";
import { nameKeys } from "./keys.ts";
import { scalarTags } from "./scalars.ts";

/** What the thread says: JSON, or why there is none. */
export type Spoken = { readonly json: string } | { readonly fault: string };

/** Aliases may repeat what they stand for; not without end. */
const longestJson = 16 * 1024 * 1024;

parentPort?.postMessage(read(String(workerData)));

function read(text: string): Spoken {
  const document = parseDocument(text, {
    // Only what Kubernetes has; the parser's own look for repeated keys takes minutes for a megabyte.
    ...{ schema: "failsafe", customTags: scalarTags, resolveKnownTags: false, merge: true },
    ...{ uniqueKeys: false, prettyErrors: false },
  });
  const [error] = document.errors;
  if (error !== undefined)
    return { fault: `no YAML at ${placeOf(text, error.pos[0])} (${error.code})` };
  try {
    const fault = nameKeys(document);
    if (fault !== undefined) return { fault: `${fault.why}, at ${placeOf(text, fault.offset)}` };
    const json = toJson(document.toJS({ maxAliasCount: 100 })) ?? "null";
    return json.length > longestJson ? { fault: "its aliases multiply it" } : { json };
  } catch {
    return { fault: "its aliases or nesting have no end" };
  }
}

/** With big integers as they are. */
function toJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "bigint" ? rawJson(String(each)) : each,
  );
}

/** A value that is written as it stands (TC39: proposal-json-parse-with-source). */
function rawJson(text: string): unknown {
  const { rawJSON = Number } = JSON as { readonly rawJSON?: (text: string) => unknown };
  return rawJSON(text);
}

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
