export { type LoginParts, Logins } from "./logins.ts";
