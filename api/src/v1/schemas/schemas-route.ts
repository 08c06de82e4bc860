import { sendJson, sendKept } from "../answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Route } from "../route.ts";
import type { Schemas } from "./schemas.ts";

/** Serves `/v1/schemas` and `/v1/schemas/{id}`. */
export function schemasRoute(schemas: Schemas): Route {
  return async (exchange, place) => {
    const name = nameIn(exchange, place);
    if (name === undefined) {
      sendKept(exchange, await schemas.all(place.access, place.base));
      return;
    }
    const schema = schemas.one(name, place.access, place.base);
    if (schema === undefined) throw problem("NotFound", "no such schema");
    await sendJson(exchange, `${schema}\n`);
  };
}
