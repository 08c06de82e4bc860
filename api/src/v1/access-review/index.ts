export { DeclaredAccess } from "./declared-access.ts";
export { accessRoute, type ReviewedCluster, type ReviewParts } from "./route.ts";
