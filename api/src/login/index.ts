export { Logins } from "./logins.ts";
