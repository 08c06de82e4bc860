/** `GET /v1/counts`, and `/v1/counts/count` for the item alone. */

import { systemClock } from "kopf-ts";
import type { Exchange } from "../../stage.ts";
import { sendCollection, sendObject } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Place, type Route } from "../route.ts";
import { Slices } from "../slices.ts";
import type { CountsParts } from "./counts.ts";
import { countItem } from "./item.ts";
import { countsJson } from "./json.ts";

/** Answers with what the caller sees; never asks the API server. */
export function countsRoute(parts: CountsParts): Route {
  return async (exchange: Exchange, place: Place) => {
    const { access, base, signal } = place;
    const id = nameIn(exchange, place);
    if (id !== undefined && id !== "count") throw problem("NotFound", "no such count");
    const counts = await countsJson(parts, access, new Slices(systemClock, signal));
    const item = [Buffer.from(beginOf(base)), ...counts, Buffer.from("}")];
    if (id !== undefined) return sendObject(exchange, Buffer.concat(item));
    const links = { self: base + exchange.path };
    const envelope = { type: "collection", links, actions: {}, resourceType: "count" };
    await sendCollection(exchange, { envelope, items: [item] });
  };
}

/** The item up to its counts. */
function beginOf(base: string): string {
  return JSON.stringify(countItem({}, base)).slice(0, -"{}}".length);
}
