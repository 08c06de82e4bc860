/** The forms in which a collection is written (apiserver: pkg/writer). */

import type { FormName } from "./form.ts";
import { toYamlMember, yamlOf } from "./yaml-text.ts";

/** One field of a summary. */
export interface SummaryEntry {
  readonly property: string;
  /** How often each value occurs, in the order of values, as Go writes maps; of names there may be as many as objects. */
  readonly counts: readonly (readonly [value: string, count: Count])[];
}

/** Of one value. */
export interface Count {
  readonly total: number;
  readonly namespace?: Readonly<Record<string, number>>;
}

/** Where the bytes of a list go. */
export interface Sink {
  add(part: Uint8Array): void;
}

/** Writes a list: `begin`, each item, `end`. Items are the parts of their JSON. */
export interface Format {
  readonly contentType: string;
  /** Whether items are written as they are, with a comma between them and nothing else around them. */
  readonly joinsItems: boolean;
  begin(envelope: object): string;
  /** `isFirst`: nothing was written of another item. */
  item(sink: Sink, parts: readonly Uint8Array[], isFirst: boolean): void;
  /** Piece by piece, as there may be a count for each object. `isEmpty`: nothing was written of any item. */
  end(summary: readonly SummaryEntry[], isEmpty: boolean): Iterable<string>;
}

const comma = Buffer.from(",");
const newline = Buffer.from("\n");

const json: Format = {
  contentType: "application/json",
  joinsItems: true,
  begin: (envelope) => `${JSON.stringify(envelope).slice(0, -1)},"data":[`,
  item: (sink, parts, isFirst) => {
    if (!isFirst) sink.add(comma);
    for (const part of parts) sink.add(part);
  },
  *end(summary) {
    if (summary.length > 0) {
      yield '],"summary":[';
      for (const [index, entry] of summary.entries()) {
        if (index > 0) yield ",";
        yield* jsonOf(entry);
      }
    }
    yield "]}\n";
  },
};

/** The envelope, each item and each entry of the summary on a line, then an empty one to show that nothing is missing. */
const jsonl: Format = {
  contentType: "application/jsonl",
  joinsItems: false,
  begin: (envelope) => `${JSON.stringify(envelope)}\n`,
  item: (sink, parts) => {
    for (const part of parts) sink.add(part);
    sink.add(newline);
  },
  *end(summary) {
    for (const entry of summary) {
      yield* jsonOf(entry);
      yield "\n";
    }
    yield "\n";
  },
};

const yaml: Format = {
  contentType: "application/yaml",
  joinsItems: false,
  begin: (envelope) => yamlOf(envelope),
  item: (sink, parts, isFirst) => {
    if (isFirst) sink.add(Buffer.from("data:\n"));
    sink.add(toYamlMember(Buffer.concat(parts)));
  },
  *end(summary, isEmpty) {
    if (isEmpty) yield "data: []\n";
    if (summary.length > 0) yield "summary:\n";
    for (const { property, counts } of summary) {
      yield `  - property: ${yamlOf(property)}    counts:\n`;
      for (const some of portionsOf(counts, fewer)) {
        yield yamlOf(new Map(some)).replaceAll(/^(?=.)/gm, "      ");
      }
    }
  },
};

/** Counts that are written between two looks at the clock; YAML takes some 30 us for each. */
const [many, fewer] = [500, 25];

function* jsonOf({ property, counts }: SummaryEntry): Generator<string, void> {
  yield `{"property":${JSON.stringify(property)},"counts":{`;
  let comma = "";
  for (const some of portionsOf(counts, many)) {
    yield comma + some.map((each) => each.map((part) => JSON.stringify(part)).join(":")).join();
    comma = ",";
  }
  yield "}}";
}

function* portionsOf(
  counts: SummaryEntry["counts"],
  size: number,
): Generator<readonly (readonly [string, Count])[], void> {
  for (let from = 0; from < counts.length; from += size) yield counts.slice(from, from + size);
}

/** All forms. */
export const formats: Readonly<Record<FormName, Format>> = { json, jsonl, yaml };
