/** `GET /v1/search`: objects of all types by name, label or image. */

import type { Clock } from "kopf-ts";
import { send } from "../../stage.ts";
import { problem } from "../problem.ts";
import { nameIn, type Route } from "../route.ts";
import { Slices } from "../slices.ts";
import { resultOf } from "./answer.ts";
import { parseSearch } from "./query.ts";
import { type SearchedCluster, searchIn } from "./search.ts";

/** What is searched. */
export interface SearchParts extends Omit<SearchedCluster, "access"> {
  readonly clock: Clock;
}

/** Answers from what is kept of all objects, without their bytes; never asks the API server. */
export function searchRoute({ clock, ...searched }: SearchParts): Route {
  return async (exchange, place) => {
    if (nameIn(exchange, place) !== undefined) throw problem("NotFound", "no such search");
    const { access, base, signal } = place;
    const query = parseSearch(exchange.query);
    const found = await searchIn({ ...searched, access }, query, new Slices(clock, signal));
    const { hits, totals, incomplete } = found;
    const body = {
      ...{ type: "collection", links: { self: base + exchange.path }, actions: {} },
      ...{ resourceType: "searchResult", count: sum(totals.values()) },
      totals: Object.fromEntries(totals),
      ...(incomplete.length > 0 && { incomplete }),
      data: hits.map((hit) => resultOf(hit, { access, base })),
    };
    send(exchange.response, 200, `${JSON.stringify(body)}\n`, "application/json");
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
