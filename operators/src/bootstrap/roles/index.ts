export { bootstrapRoles } from "./bootstrap.ts";
