export { Authn } from "./authn.ts";
export { bearerOf, sessionCookie } from "./credentials.ts";
