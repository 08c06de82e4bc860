export { RbacAccess } from "./rbac-access.ts";
