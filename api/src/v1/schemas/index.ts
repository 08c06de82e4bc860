export { OpenApi } from "./definitions/open-api.ts";
export { createTypes, isHidden, isListed, type Methods, methodsOf } from "./methods.ts";
export { schemaRoutes } from "./routes.ts";
export { Schemas } from "./schemas.ts";
