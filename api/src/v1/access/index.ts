export { RbacAccess } from "./rbac-access.ts";
export type { RbacSources } from "./rbac-sources.ts";
