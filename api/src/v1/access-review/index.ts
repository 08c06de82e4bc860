export { DeclaredAccess } from "./declared-access.ts";
export { accessRoute } from "./route.ts";
