export { type AdminOptions, bootstrapAdmin } from "./bootstrap.ts";
export type { Access } from "./ensure.ts";
export { ensureDefaultAdmin } from "./ensure-default.ts";
export { resetAdminPassword } from "./reset.ts";
