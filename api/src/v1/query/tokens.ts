/** The pieces of a filter's text (steve: pkg/stores/sqlpartition/queryparser/selector.go). */

import { QueryError } from "./errors.ts";
import { shorten } from "./field.ts";

/** A name or value, a value in quotes without them, or an operator, bracket or comma. */
export interface Token {
  readonly kind: "word" | "quoted" | "symbol";
  readonly text: string;
}

/**
 * Splits a filter. Words begin with a letter, a digit or `_`, and end at white space or before one of `= ! ( ) , > < ~`; quotes may be single or
 * double, with backslashes before what is meant as it is. Throws QueryError for anything else.
 */
export function tokenize(text: string, parameter: string): readonly Token[] {
  const tokens: Token[] = [];
  piece.lastIndex = 0;
  while (piece.lastIndex < text.length) {
    const at = piece.lastIndex;
    const { groups } = piece.exec(text) ?? {};
    if (groups === undefined) throw unexpected(text.slice(at), parameter);
    const { word, single, double, symbol } = groups;
    const quoted = single ?? double;
    if (word !== undefined) tokens.push({ kind: "word", text: word });
    else if (quoted !== undefined) tokens.push({ kind: "quoted", text: unescaped(quoted) });
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol });
  }
  return tokens;
}

/** One token, with the white space around it; it goes on from where the last one ended. */
const piece =
  /\s*(?:(?<word>[\p{L}\p{N}_][^\s=!(),<>~]*)|'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)"|(?<symbol>==|!=|!~|[=!~<>(),])|$)\s*/suy;

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gsu, "$1");
}

function unexpected(rest: string, parameter: string): QueryError {
  const text = shorten(rest.trim());
  const isOpen = text.startsWith("'") || text.startsWith('"');
  const what = isOpen
    ? `unterminated string starting with ${text}`
    : `unexpected ${JSON.stringify(text)}`;
  return new QueryError(parameter, what);
}
