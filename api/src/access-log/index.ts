import type { Clock, Fields } from "kopf-ts";
import { type Exchange, isUpgraded, type Stage, statusOf } from "../stage.ts";
import { shownPath, shownQuery } from "./shown.ts";

/**
 * One line per request, when its answer or its connection has ended: method, path, what is safe of the query, status, bytes sent (headers
 * included), milliseconds, user, address, and the request id that every line of the request has. What an administrator audits or acts on is
 * told at level info: writes, refusals of rights, failures; the rest at debug. Never a token, a header or a body.
 */
export function accessLog(clock: Clock): Stage {
  return async (exchange, next) => {
    const { request, response } = exchange;
    const { socket } = request;
    const [begin, sent] = [clock.monotonic(), socket.bytesWritten];
    const address = socket.remoteAddress; // nobody knows it once the connection is closed
    response.once("close", () => {
      const milliseconds = Math.round((clock.monotonic() - begin) * 10) / 10;
      tell(exchange, { milliseconds, bytes: socket.bytesWritten - sent, address });
    });
    return next();
  };
}

function tell(exchange: Exchange, measured: Fields): void {
  const { request, response, path, query, log, login } = exchange;
  const fields = {
    method: request.method,
    path: shownPath(path),
    ...(query.size > 0 && { query: shownQuery(query) }),
    status: statusOf(response),
    ...measured,
    user: login.caller.username,
    ...(!isUpgraded(response) && !response.writableFinished && { cut: true }),
  };
  log[levelOf(exchange)]("answered", fields);
}

function levelOf({ request, response }: Exchange): "debug" | "info" {
  const status = statusOf(response);
  const isRead = request.method === "GET" || request.method === "HEAD";
  return !isRead || status >= 500 || status === 401 || status === 403 ? "info" : "debug";
}
