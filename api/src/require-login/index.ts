import { isAuthenticated } from "../caller.ts";
import { type Exchange, type Stage, send } from "../stage.ts";

/** Everything below /v1 but settings, of which a login page reads some; what of them, the rights of system:unauthenticated say. */
const guarded = /^\/v1\/(?!management\.cattle\.io\.settings?(\/|$))/;
/** As upstream writes it, status in quotes included (rancher: pkg/auth/requests/filter.go). */
const refusal = `${JSON.stringify({
  ...{ type: "error", status: "401", message: "Unauthorized 401: must authenticate" },
})}\n`;

/** Refuses whoever is not known, by 401. The root /v1 itself is open, as upstream. */
export const requireLogin: Stage = (exchange, next) =>
  isAuthenticated(exchange.login) || !guarded.test(exchange.path) ? next() : refuse(exchange);

async function refuse({ response }: Exchange): Promise<void> {
  send(response, 401, refusal, "application/json");
}
