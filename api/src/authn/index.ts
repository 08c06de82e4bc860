export { Authn } from "./authn.ts";
export { bearerOf, hasSessionCookie, sessionCookie, shownToken } from "./credentials.ts";
export { serverUser } from "./header-mode.ts";
