export { DeclaredAccess } from "./declared-access.ts";
export { accessRoute, type ReviewedCluster } from "./route.ts";
