export { OpenApi } from "./definitions/open-api.ts";
export { createTypes, isHidden, type Methods, methodsOf, type TypeRights } from "./methods.ts";
export { type SchemaRoutesParts, schemaRoutes } from "./routes.ts";
export { Schemas, type SchemasParts, type VisibleType } from "./schemas.ts";
