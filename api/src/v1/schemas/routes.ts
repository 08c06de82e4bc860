import type { Client } from "kopf-ts";
import type { Route } from "../route.ts";
import type { Types } from "../types/resource-type.ts";
import { apiGroupsRoute } from "./api-groups-route.ts";
import { definitionsRoute } from "./definitions-route.ts";
import type { Schemas } from "./schemas.ts";
import { schemasRoute } from "./schemas-route.ts";

/** What the routes of schemas work with. */
export interface SchemaRoutesParts {
  readonly schemas: Schemas;
  readonly types: Types;
  readonly client: Client;
}

/** Who serves schemas, their definitions and API groups, by name below /v1 in lower case: ids and plural names. */
export function schemaRoutes({
  schemas,
  types,
  client,
}: SchemaRoutesParts): Readonly<Record<string, Route>> {
  const schema = schemasRoute(schemas);
  const definition = definitionsRoute(schemas);
  const group = apiGroupsRoute(types, client);
  return {
    ...{ schema, schemas: schema, schemadefinition: definition, schemadefinitions: definition },
    ...{ apigroup: group, apigroups: group },
  };
}
