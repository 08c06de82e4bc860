/** What a search asks for, from the parameters of its URL. Pure. */

import { problem } from "../problem.ts";
import { shorten } from "../query/field.ts";

/** One search, as asked for. */
export interface SearchQuery {
  /** In lower case, each once; all of them have to be found. */
  readonly words: readonly string[];
  /** Ids or plural names of types; undefined for all. */
  readonly types: readonly string[] | undefined;
  /** Undefined: in all namespaces, and outside of them. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** How many results at most. */
  readonly limit: number;
}

const usualLimit = 50;
const largestLimit = 500;
/** More than anybody looks for: each word is looked for in every name. */
const mostWords = 8;
const mostLetters = 256;
const mostNames = 500;

/** Reads `q`, `types`, `namespaces` and `limit`. Throws Problems (422) that name the parameter. */
export function parseSearch(query: URLSearchParams): SearchQuery {
  const namespaces = namesIn(query, "namespaces");
  return {
    words: wordsIn(query.getAll("q")),
    types: namesIn(query, "types"),
    namespaces: namespaces && new Set(namespaces),
    limit: limitIn(query.get("limit")),
  };
}

function wordsIn(texts: readonly string[]): readonly string[] {
  const [text = "", ...others] = texts;
  if (others.length > 0) throw problem("InvalidFormat", "at most one q is allowed", "q");
  const words = [...new Set(text.toLowerCase().split(/\s+/))].filter((word) => word !== "");
  if (words.length === 0) throw problem("MissingRequired", "q says what to search for", "q");
  if (text.length > mostLetters) {
    throw problem("InvalidFormat", `q is longer than ${mostLetters} letters`, "q");
  }
  if (words.length > mostWords) throw problem("InvalidFormat", `more than ${mostWords} words`, "q");
  return words;
}

/** Names with commas between; the parameter may be repeated. */
function namesIn(query: URLSearchParams, parameter: string): readonly string[] | undefined {
  const names = query
    .getAll(parameter)
    .flatMap((text) => text.split(","))
    .filter((name) => name !== "");
  if (names.length > mostNames) {
    throw problem("InvalidFormat", `more than ${mostNames} names`, parameter);
  }
  return names.length === 0 ? undefined : names;
}

function limitIn(text: string | null): number {
  if (text === null || text === "") return usualLimit;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= largestLimit) return limit;
  const why = `limit must be a whole number from 1 to ${largestLimit}, not '${shorten(text)}'`;
  throw problem("InvalidFormat", why, "limit");
}
