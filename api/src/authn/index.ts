export { Authn } from "./authn.ts";
export { bearerOf, sessionCookie, shownToken } from "./credentials.ts";
