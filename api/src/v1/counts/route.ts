/** `GET /v1/counts`, and `/v1/counts/count` for the item alone. */

import { type Exchange, send } from "../../stage.ts";
import { problem } from "../problem.ts";
import type { Place, Route } from "../router.ts";
import { type CountsParts, countsOf } from "./counts.ts";
import { countItem } from "./item.ts";

/** Answers with what the caller sees; never asks the API server. */
export function countsRoute(parts: CountsParts): Route {
  return async ({ request, response, path }: Exchange, { access, rest, base, signal }: Place) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw problem("PermissionDenied", `Method ${request.method} not supported`);
    }
    const [id = "", ...more] = rest;
    if (more.length > 0 || (id !== "" && id !== "count"))
      throw problem("NotFound", "no such count");
    const item = countItem(await countsOf(parts, access, signal), base);
    const body = id === "" ? collection(item, base + path) : item;
    send(response, 200, `${JSON.stringify(body)}\n`, "application/json");
  };
}

function collection(item: object, self: string): object {
  const links = { self };
  return { type: "collection", links, actions: {}, resourceType: "count", data: [item] };
}
