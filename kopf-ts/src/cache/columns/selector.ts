/** Label selectors in Kubernetes' own text form: `app=web,tier in (front,back),!legacy` (apimachinery: pkg/labels/selector.go). */

import { parseInteger } from "../../base/index.ts";

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** One condition of a selector; all of them must hold. */
export type Requirement =
  | { readonly key: string; readonly operator: "exists" | "absent" }
  | { readonly key: string; readonly operator: "in" | "notin"; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: "above" | "below"; readonly value: number | bigint };

/** Thrown for a text that is no label selector. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  /** Without the selector itself. */
  readonly reason: string;

  constructor(text: string, at: number, expected: string) {
    const reason = `expected ${expected} at ${at}`;
    super(`label selector ${JSON.stringify(text)}: ${reason}`);
    this.reason = reason;
  }
}

/** Reads a selector; the empty text selects everything. Throws SelectorError. */
export function parseSelector(text: string): readonly Requirement[] {
  const reader = new Reader(text);
  const requirements: Requirement[] = [];
  if (reader.atEnd()) return requirements;
  do requirements.push(parseRequirement(reader));
  while (reader.take(","));
  if (!reader.atEnd()) throw reader.error("a comma or the end");
  return requirements;
}

/** Whether every condition holds. As in Kubernetes, `!=` and `notin` hold for a label that is absent. */
export function matches(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}

function holds(requirement: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "in":
      return value !== undefined && requirement.values.includes(value);
    case "notin":
      return value === undefined || !requirement.values.includes(value);
    case "above":
      return integerOf(value) > requirement.value;
    case "below":
      return integerOf(value) < requirement.value;
  }
}

function parseRequirement(reader: Reader): Requirement {
  if (reader.take("!")) return { key: reader.key(), operator: "absent" };
  const key = reader.key();
  if (reader.take("!=")) return { key, operator: "notin", values: [reader.value()] };
  if (reader.take("==") || reader.take("=")) {
    return { key, operator: "in", values: [reader.value()] };
  }
  if (reader.take(">")) return { key, operator: "above", value: reader.integer() };
  if (reader.take("<")) return { key, operator: "below", value: reader.integer() };
  if (reader.word("notin")) return { key, operator: "notin", values: reader.values() };
  if (reader.word("in")) return { key, operator: "in", values: reader.values() };
  return { key, operator: "exists" };
}

/** What a name or value may consist of; anything else ends it. */
const WORD = /[^\s,=!<>()]*/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#space();
  }

  atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  error(expected: string): SelectorError {
    return new SelectorError(this.#text, this.#at, expected);
  }

  /** Passes `token` when it comes next. */
  take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    this.#space();
    return true;
  }

  /** Passes a word when it comes next as a whole. */
  word(word: string): boolean {
    const before = this.#at;
    if (this.value() === word) return true;
    this.#at = before;
    return false;
  }

  key(): string {
    const key = this.value();
    if (key === "") throw this.error("a label key");
    return key;
  }

  /** May be empty. */
  value(): string {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0] ?? "";
    this.#at += word.length;
    this.#space();
    return word;
  }

  values(): readonly string[] {
    if (!this.take("(")) throw this.error("(");
    const values: string[] = [];
    do values.push(this.value());
    while (this.take(","));
    if (!this.take(")")) throw this.error(")");
    return values;
  }

  integer(): number | bigint {
    const before = this.#at;
    const value = integerOf(this.value());
    if (!Number.isNaN(value)) return value;
    this.#at = before;
    throw this.error("an integer");
  }

  #space(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
  }
}

/** NaN, which nothing is above or below, for what is none. */
function integerOf(value: string | undefined): number | bigint {
  return value === undefined ? Number.NaN : parseInteger(value);
}
