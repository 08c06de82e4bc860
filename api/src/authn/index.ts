export { Authn, type AuthnParts } from "./authn.ts";
export { bearerOf, sessionCookie } from "./credentials.ts";
