import { baseUrl } from "../base-url.ts";
import { isAuthenticated } from "../caller.ts";
import { isV1, type Stage } from "../stage.ts";

/** Headers of every answer: nothing is sniffed, nothing is stored (apiserver: pkg/middleware). A stage behind may say otherwise of its own answers. */
export const headers: Stage = ({ response }, next) => {
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-cache, no-store, must-revalidate");
  return next();
};

/**
 * Tells a user interface whether it is logged in, by header X-API-Cattle-Auth: `true`, `false`, or `none` where nobody needs to
 * (rancher: pkg/auth/requests, SetXAPICattleAuthHeader). Behind authentication.
 */
export function cattleAuth(needed: boolean): Stage {
  return ({ response, login }, next) => {
    response.setHeader("X-API-Cattle-Auth", needed ? String(isAuthenticated(login)) : "none");
    return next();
  };
}

/** Headers of everything below /v1 (apiserver: pkg/writer/headers.go); the date is written as upstream has it. */
export const steveHeaders: Stage = ({ request, response, path }, next) => {
  if (isV1(path)) {
    response.setHeader("Expires", "Wed 24 Feb 1982 18:42:00 GMT");
    response.setHeader("X-Api-Schemas", `${baseUrl(request)}/v1/schemas`);
  }
  return next();
};
