import type { Exchange } from "../../stage.ts";
import { sendCollection, sendKept, sendObject } from "../answers/answer.ts";
import { formOf } from "../answers/form.ts";
import { problem } from "../problem.ts";
import { nameIn, type Place, type Route } from "../route.ts";
import type { Schemas } from "./schemas.ts";

/** Serves `/v1/schemas` and `/v1/schemas/{id}`. */
export function schemasRoute(schemas: Schemas): Route {
  return async (exchange, place) => {
    const name = nameIn(exchange, place);
    if (name === undefined) return sendAll(schemas, exchange, place);
    const schema = schemas.one(name, place.access, place.base);
    if (schema === undefined) throw problem("NotFound", "no such schema");
    await sendObject(exchange, `${schema}\n`);
  };
}

/** Nearly everybody wants JSON, which is kept. */
async function sendAll(
  schemas: Schemas,
  exchange: Exchange,
  { access, base }: Place,
): Promise<void> {
  if (formOf(exchange) === "json") sendKept(exchange, await schemas.all(access, base));
  else await sendCollection(exchange, await schemas.collection(access, base));
}
