/** Walks through all pages of a collection, each page told by what came before (dartboard: k6, load_steve_new_pagination). */

import type { Walk } from "../load.ts";
import { revisionOf, totalOf } from "./bodies.ts";
import { pageSize } from "./questions.ts";

/** Page by page of a /v1, by number, all of the revision that the first one had. Throws when a first page tells no total. */
export function* pagesByNumber(path: string): Walk {
  const read = yield `${path}?pagesize=${pageSize}&page=1`;
  const first = read();
  const [total, revision] = [totalOf(first), revisionOf(first)];
  if (total === undefined || revision === undefined) throw new Error(`${path} tells no total`);
  for (let page = 2; page <= Math.ceil(total / pageSize); page++)
    yield `${path}?pagesize=${pageSize}&page=${page}&revision=${revision}`;
}

/** Page by page of the API server, by what it calls continue. */
export function* pagesByContinue(path: string): Walk {
  let read = yield `${path}?limit=${pageSize}`;
  for (;;) {
    const token = /"continue":"([^"]+)"/.exec(read().toString("utf8", 0, 4096))?.[1];
    if (token === undefined) return;
    read = yield `${path}?limit=${pageSize}&continue=${encodeURIComponent(token)}`;
  }
}
