/** The language of filters: what a requirement says, and how its text is read (steve: pkg/stores/sqlpartition/queryparser/selector.go). */

import { parseNumber } from "kopf-ts";
import { QueryError } from "./errors.ts";
import { type FieldPath, labelOf, parseField, shorten } from "./field.ts";
import { type Token, tokenize } from "./tokens.ts";

/**
 * One test of one field. `~` looks for a part and ignores case; `contains` asks for a member of a list. Labels alone may `exist` or be `absent`.
 */
export type Requirement =
  | { readonly field: FieldPath; readonly op: "exists" | "absent" }
  | {
      readonly field: FieldPath;
      readonly op: "=" | "!=" | "~" | "!~" | "contains" | "notcontains";
      readonly value: string;
    }
  | { readonly field: FieldPath; readonly op: "<" | ">"; readonly value: number | bigint }
  | { readonly field: FieldPath; readonly op: "in" | "notin"; readonly values: readonly string[] };

/** Reads the requirements of one `filter` parameter, one of which has to hold. Throws QueryError. */
export function parseFilter(text: string, parameter = "filter"): readonly Requirement[] {
  const reader = new Reader(tokenize(text, parameter), parameter);
  const requirements: Requirement[] = [];
  while (!reader.atEnd) {
    requirements.push(requirement(reader));
    if (!reader.atEnd) reader.expect(",");
    else break;
    if (reader.atEnd) throw reader.unexpected("an identifier after ','");
  }
  return requirements;
}

/** Goes through tokens, and says what it met where it wanted something else. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #parameter: string;
  #at = 0;

  constructor(tokens: readonly Token[], parameter: string) {
    this.#tokens = tokens;
    this.#parameter = parameter;
  }

  get atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Takes a symbol, if it comes next. */
  take(symbol: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "symbol" || token.text !== symbol) return false;
    this.#at++;
    return true;
  }

  expect(symbol: string): void {
    if (!this.take(symbol)) throw this.unexpected(`'${symbol}'`);
  }

  /** Whether a requirement could end here. */
  get atComma(): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "symbol" && token.text === ",";
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** Takes what comes next, when it is of one of these kinds. */
  read(what: string, ...kinds: readonly Token["kind"][]): string {
    const token = this.#tokens[this.#at];
    if (token === undefined || !kinds.includes(token.kind)) throw this.unexpected(what);
    this.#at++;
    return token.text;
  }

  field(): FieldPath {
    return parseField(this.read("an identifier", "word"), this.#parameter);
  }

  unexpected(wanted: string): QueryError {
    const found = this.next === undefined ? "the end" : `'${shorten(this.next.text)}'`;
    return this.error(`found ${found}, expected: ${wanted}`);
  }

  error(message: string): QueryError {
    return new QueryError(this.#parameter, message);
  }
}

function requirement(reader: Reader): Requirement {
  const isAbsent = reader.take("!");
  const field = reader.field();
  if (isAbsent || reader.atEnd || reader.atComma) {
    if (labelOf(field) !== undefined) return { field, op: isAbsent ? "absent" : "exists" };
    const name = field.join(".");
    throw reader.error(`only labels can exist or be absent: '${shorten(name)}' is none`);
  }
  return comparison(reader, field);
}

const operators = "one of = == != ~ !~ < > lt gt in notin contains notcontains";
const aliases: Readonly<Record<string, string>> = { "==": "=", lt: "<", gt: ">" };

function comparison(reader: Reader, field: FieldPath): Requirement {
  const written = reader.read(operators, "word", "symbol");
  const op = aliases[written] ?? written.toLowerCase();
  switch (op) {
    case "=":
    case "!=":
    case "~":
    case "!~":
    case "contains":
    case "notcontains":
      return { field, op, value: reader.read("a value to compare with", "word", "quoted") };
    case "<":
    case ">":
      return { field, op, value: integer(reader) };
    case "in":
    case "notin":
      return { field, op, values: list(reader) };
    default:
      throw reader.error(`found '${shorten(written)}', expected: ${operators}`);
  }
}

/** Of 64 bits: a bigint where a double would round it. */
function integer(reader: Reader): number | bigint {
  const text = reader.read("an integer", "word", "quoted");
  if (!/^[+-]?\d+$/.test(text)) {
    throw reader.error(`found '${shorten(text)}', expected: an integer`);
  }
  const value = parseNumber(text);
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return value;
  throw reader.error(`found '${shorten(text)}', expected: an integer of 64 bits`);
}

/** The values between brackets; what stands between two commas, or in empty brackets, is the empty text. */
function list(reader: Reader): readonly string[] {
  reader.expect("(");
  const values = new Set<string>();
  for (;;) {
    const isEmpty = reader.next?.kind === "symbol";
    values.add(isEmpty ? "" : reader.read("a value or ')'", "word"));
    if (reader.take(")")) return [...values];
    reader.expect(",");
  }
}
