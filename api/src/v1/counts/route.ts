/** `GET /v1/counts`, and `/v1/counts/count` for the item alone. */

import type { Exchange } from "../../stage.ts";
import { sendJson } from "../answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Place, type Route } from "../route.ts";
import { type CountsParts, countsOf } from "./counts.ts";
import { countItem } from "./item.ts";

/** Answers with what the caller sees; never asks the API server. */
export function countsRoute(parts: CountsParts): Route {
  return async (exchange: Exchange, place: Place) => {
    const { access, base, signal } = place;
    const id = nameIn(exchange, place);
    if (id !== undefined && id !== "count") throw problem("NotFound", "no such count");
    const item = countItem(await countsOf(parts, access, signal), base);
    const body = id === undefined ? collection(item, base + exchange.path) : item;
    await sendJson(exchange, `${JSON.stringify(body)}\n`);
  };
}

function collection(item: object, self: string): object {
  const links = { self };
  return { type: "collection", links, actions: {}, resourceType: "count", data: [item] };
}
