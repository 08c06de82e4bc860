import { sendObject } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Route } from "../route.ts";
import { baseSchemaNamed } from "./base-schemas.ts";
import { definitionOfBase, type SchemaDefinition } from "./definitions/schema-definitions.ts";
import type { Schemas } from "./schemas.ts";

/** Serves `/v1/schemaDefinitions/{id}`; there is no list of them. A schema that the caller does not see has no definition for them. */
export function definitionsRoute(schemas: Schemas): Route {
  return async (exchange, place) => {
    const name = nameIn(exchange, place);
    if (name === undefined) throw problem("PermissionDenied", "Method GET not supported");
    const ours = baseSchemaNamed(name);
    const type = schemas.typeNamed(name, place.access)?.type;
    if (ours === undefined && type === undefined) throw problem("NotFound", "no such schema");
    const found =
      type === undefined ? ours && definitionOfBase(ours) : await schemas.definitions.of(type);
    if (found !== undefined) await sendObject(exchange, `${jsonOf(name, found, place.base)}\n`);
  };
}

function jsonOf(
  id: string,
  { definitionType, definitions }: SchemaDefinition,
  base: string,
): string {
  const links = { self: `${base}/v1/schemaDefinitions/${encodeURIComponent(id)}` };
  return JSON.stringify({
    ...{ id, type: "schemaDefinition", links, definitionType },
    definitions: Object.fromEntries(definitions),
  });
}
