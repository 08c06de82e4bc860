export { OpenApi } from "./definitions/open-api.ts";
export { createTypes, isHidden, type Methods, methodsOf } from "./methods.ts";
export { schemaRoutes } from "./routes.ts";
export { Schemas } from "./schemas.ts";
