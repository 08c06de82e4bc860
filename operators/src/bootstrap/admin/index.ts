export { type AdminOptions, bootstrapAdmin } from "./bootstrap.ts";
export { type EnsuredAdmin, ensureDefaultAdmin } from "./ensure-default.ts";
export { type NewPassword, NoSingleAdmin, resetAdminPassword } from "./reset.ts";
