export { Authn } from "./authn.ts";
export { bearerOf, hasSessionCookie, sessionCookie, shownToken } from "./credentials.ts";
