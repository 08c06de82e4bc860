export { apiRootRoute, rootAsV1 } from "./api-root.ts";
