/** The forms in which a list is written (apiserver: pkg/parse/parse.go, pkg/writer). */

import type { IncomingHttpHeaders } from "node:http";
import { stringify } from "yaml";
import type { SummaryEntry } from "./summaries.ts";

/** A form by its name in `_format`. */
export type FormatName = "json" | "jsonl" | "yaml";

/** Writes a list: `begin`, each item, `end`. Items are the parts of their JSON. */
export interface Format {
  readonly contentType: string;
  /** What stands between items, where these are written as they are and have nothing else around them. */
  readonly between?: Buffer;
  begin(envelope: object): string;
  /** `isFirst`: nothing was written of another item. */
  item(parts: readonly Uint8Array[], isFirst: boolean): readonly Uint8Array[];
  /** `isEmpty`: nothing was written of any item. */
  end(summary: readonly SummaryEntry[], isEmpty: boolean): string;
}

/** What the caller wants: `_format`, else what Accept names; JSON for anything else. */
export function formatNameOf(
  query: URLSearchParams,
  { accept = "" }: IncomingHttpHeaders,
): FormatName {
  const wanted = (query.get("_format") ?? "").toLowerCase();
  if (wanted === "json" || wanted === "jsonl" || wanted === "yaml") return wanted;
  if (accept.includes("application/yaml")) return "yaml";
  return accept.includes("application/jsonl") ? "jsonl" : "json";
}

const comma = Buffer.from(",");
const newline = Buffer.from("\n");

const json: Format = {
  contentType: "application/json",
  between: comma,
  begin: (envelope) => `${JSON.stringify(envelope).slice(0, -1)},"data":[`,
  item: (parts, isFirst) => (isFirst ? parts : [comma, ...parts]),
  end: (summary) => (summary.length === 0 ? "]}\n" : `],"summary":${JSON.stringify(summary)}}\n`),
};

/** The envelope, each item and each entry of the summary on a line, then an empty one to show that nothing is missing. */
const jsonl: Format = {
  contentType: "application/jsonl",
  begin: (envelope) => `${JSON.stringify(envelope)}\n`,
  item: (parts) => [...parts, newline],
  end: (summary) => `${summary.map((entry) => `${JSON.stringify(entry)}\n`).join("")}\n`,
};

const yaml: Format = {
  contentType: "application/yaml",
  begin: (envelope) => stringify(envelope),
  item: (parts, isFirst) => {
    const item: unknown = JSON.parse(Buffer.concat(parts).toString());
    return [Buffer.from(`${isFirst ? "data:\n" : ""}${stringify([item], { indentSeq: false })}`)];
  },
  end: (summary, isEmpty) => {
    const data = isEmpty ? "data: []\n" : "";
    return summary.length === 0 ? data : data + stringify({ summary });
  },
};

/** All forms. */
export const formats: Readonly<Record<FormatName, Format>> = { json, jsonl, yaml };
