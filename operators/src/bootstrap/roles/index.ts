export { bootstrapRoles, type RoleOptions } from "./bootstrap.ts";
