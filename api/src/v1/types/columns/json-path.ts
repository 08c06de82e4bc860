/**
 * The JSON paths of printer columns, in kubectl's dialect (client-go: util/jsonpath/parser.go): `.status.conditions[?(@.type=="Ready")].status`.
 * What stands in one pair of braces there is the whole path here; `range` and `end` yield nothing. Pure.
 */

import { parseNumber } from "kopf-ts";

/** One step on the way from an object to values. */
export type Step =
  | { readonly step: "field"; readonly name: string }
  | { readonly step: "each" }
  | { readonly step: "deep" }
  | { readonly step: "slice"; readonly slice: Slice }
  | { readonly step: "union"; readonly paths: readonly Path[] }
  | {
      readonly step: "filter";
      readonly left: Path;
      readonly operator: string;
      readonly right: Path;
    }
  | { readonly step: "literal"; readonly value: string | number | bigint | boolean }
  | { readonly step: "unknown" };

/** Elements of a list; undefined where the path does not say. */
export interface Slice {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly by: number | undefined;
  /** One element, counted from the end when `from` is negative. */
  readonly single: boolean;
}

/** Steps in their order. */
export type Path = readonly Step[];

/** A path that is being read. */
interface Reader {
  readonly text: string;
  at: number;
}

/** The steps of a path; undefined for a text that is none. */
export function parsePath(text: string): Path | undefined {
  try {
    return steps(text);
  } catch (thrown) {
    if (thrown instanceof BadPath) return undefined;
    throw thrown;
  }
}

class BadPath extends Error {}

/** Rules in the order in which they are tried; each reads what stands at the place, if it is its own. */
const rules: readonly ((reader: Reader, path: Step[]) => boolean)[] = [
  filter,
  deep,
  skip,
  brackets,
  quoted,
  dotted,
  number,
  word,
];

/** What follows the end of the braces belongs to other values, of which a column shows none. */
function steps(text: string): Path {
  const reader: Reader = { text, at: 0 };
  const path: Step[] = [];
  while (reader.at < text.length && text[reader.at] !== "}") {
    if (!rules.some((rule) => rule(reader, path))) throw new BadPath();
  }
  return path;
}

/** What matches at the place; the reader goes behind it. */
function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  if (found !== undefined) reader.at += found.length;
  return found;
}

/** The object itself, and blanks. */
function skip(reader: Reader): boolean {
  return take(reader, /[ @$]/y) !== undefined;
}

function deep(reader: Reader, path: Step[]): boolean {
  if (take(reader, /\.\./y) === undefined) return false;
  if (path.at(-1)?.step === "deep") throw new BadPath();
  path.push({ step: "deep" });
  if (/[\p{L}\p{Nd}_]/u.test(reader.text[reader.at] ?? "")) field(reader, path);
  return true;
}

function dotted(reader: Reader, path: Step[]): boolean {
  if (take(reader, /\./y) === undefined) return false;
  field(reader, path);
  return true;
}

/** A backslash takes its meaning from the character behind it. */
function field(reader: Reader, path: Step[]): void {
  const name = take(reader, /(?:\\[\s\S]|[^\\ \t\r\n.,[\]$@{}])*/y) ?? "";
  path.push(name === "*" ? { step: "each" } : { step: "field", name: name.replaceAll("\\", "") });
}

function number(reader: Reader, path: Step[]): boolean {
  const text = take(reader, /[+-][\d.]*|\d[\d.]*/y);
  if (text === undefined) return false;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)) throw new BadPath();
  path.push({ step: "literal", value: parseNumber(text) });
  return true;
}

function word(reader: Reader, path: Step[]): boolean {
  const text = take(reader, /[\p{L}\p{Nd}_][^ \t\r\n.,[\]$@{}]*/uy);
  if (text === undefined) return false;
  const isTruth = text === "true" || text === "false";
  path.push(isTruth ? { step: "literal", value: text === "true" } : { step: "unknown" });
  return true;
}

function quoted(reader: Reader, path: Step[]): boolean {
  if (!/["']/.test(reader.text[reader.at] ?? "")) return false;
  const text = take(reader, /"(?:[^"\n]|(?<=\\)")*"(?<!\\")|'(?:[^'\n]|(?<=\\)')*'(?<!\\')/y);
  if (text === undefined) throw new BadPath();
  path.push({ step: "literal", value: unquote(text) });
  return true;
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** As Go reads texts, in either kind of quotes (strconv: UnquoteChar). */
function unquote(text: string): string {
  const quote = text[0];
  const escaped = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([\s\S]?))/g;
  return text.slice(1, -1).replace(escaped, (_, ...groups: readonly (string | undefined)[]) => {
    const [byte, short, long, octal, letter] = groups;
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8));
    const plain = letter === quote ? quote : escapes[letter ?? ""];
    if (plain === undefined) throw new BadPath();
    return plain;
  });
}

function character(code: number): string {
  if (code > 0x10ffff) throw new BadPath();
  return String.fromCodePoint(code);
}

/** `[*]`, `[0]`, `[-1:]`, `['key']`, `[0,2]`. */
function brackets(reader: Reader, path: Step[]): boolean {
  if (reader.text[reader.at] !== "[") return false;
  const text = take(reader, /\[[^\]\n]*\]/y);
  if (text === undefined) throw new BadPath();
  path.push(...bracketSteps(text.slice(1, -1)));
  return true;
}

function bracketSteps(text: string): Path {
  const parts = text.split(",");
  if (parts.length > 1) {
    const paths = parts.map((part) => steps(`[${part.replace(/^ +|(?<! ) +$/g, "")}]`));
    return [{ step: "union", paths }];
  }
  const [, key] = /^'([^']*)'$/.exec(text) ?? [];
  return key === undefined ? [{ step: "slice", slice: sliceOf(text) }] : steps(`.${key}`);
}

function sliceOf(text: string): Slice {
  const found = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === "*" ? ":" : text);
  if (found === null) throw new BadPath();
  const [, from = "", to, by] = found;
  const single = to === undefined;
  const start = from === "" ? undefined : whole(from);
  const end = single ? (start ?? 0) + 1 : bound(to);
  return { from: start, to: end, by: by === undefined ? undefined : bound(by), single };
}

function bound(text: string): number | undefined {
  return text === ":" ? undefined : whole(text.slice(1));
}

function whole(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new BadPath();
  return Number(text);
}

/** `[?(left operator right)]`, or `[?(path)]` for what has it. */
function filter(reader: Reader, path: Step[]): boolean {
  if (take(reader, /\[\?\(/y) === undefined) return false;
  const text = filterText(reader);
  const compared = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(text);
  if (compared === null) {
    path.push({ step: "filter", left: steps(text), operator: "exists", right: [] });
    return true;
  }
  const [, left = "", operator = "", right = ""] = compared;
  path.push({ step: "filter", left: steps(left), operator, right: steps(right) });
  return true;
}

/** Up to the closing bracket, which may also stand in the first pair of quotes. */
const filterShape =
  /[^"')\n]*(?:"(?:[^"\n]|(?<=\\)")*?(?<!\\)"[^)\n]*|'(?:[^'\n]|(?<=\\)')*?(?<!\\)'[^)\n]*)?/y;

function filterText(reader: Reader): string {
  const text = take(reader, filterShape) ?? "";
  if (take(reader, /\)\]/y) === undefined) throw new BadPath();
  return text;
}
