export { declaredSources } from "./declared.ts";
export { accessRoute, type ReviewedCluster, type ReviewParts } from "./route.ts";
