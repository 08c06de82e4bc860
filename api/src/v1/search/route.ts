/** `GET /v1/search`: objects of all types by name, label or image. */

import type { Clock } from "kopf-ts";
import { jsonOf, sendCollection } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Route } from "../route.ts";
import { Slices } from "../slices.ts";
import { resultOf, searchEnvelope } from "./answer.ts";
import { parseSearch } from "./query.ts";
import { type SearchedCluster, searchIn } from "./search.ts";

/** What is searched. */
export interface SearchParts extends Omit<SearchedCluster, "access"> {
  readonly clock: Clock;
  /** Serves searches that name clusters; without it these are as any other. */
  readonly several?: Route | undefined;
}

/** Answers from what is kept of all objects, without their bytes; never asks the API server. */
export function searchRoute({ clock, several, ...searched }: SearchParts): Route {
  return async (exchange, place) => {
    if (nameIn(exchange, place) !== undefined) throw problem("NotFound", "no such search");
    if (several !== undefined && exchange.query.has("clusters")) return several(exchange, place);
    const { access, base, signal } = place;
    const query = parseSearch(exchange.query);
    const found = await searchIn({ ...searched, access }, query, new Slices(clock, signal));
    const results = found.hits.map((hit) => resultOf(hit, { access, base }));
    const envelope = searchEnvelope(base + exchange.path, found);
    await sendCollection(exchange, { envelope, items: jsonOf(results) });
  };
}
