import type { Clock, Fields } from "kopf-ts";
import { isWrite, methodOf } from "../methods/index.ts";
import { type Exchange, isUpgraded, type Stage, statusOf } from "../stage.ts";
import { shownPath, shownQuery } from "./shown.ts";

/**
 * One line per request, when its answer or its connection has ended: method, path, what is safe of the query, status, bytes sent (headers
 * included), milliseconds, user, address, and the request id that every line of the request has. What an administrator audits or acts on is
 * told at level info: writes, refusals of rights, failures; the rest at debug. Never a token, a header or a body.
 */
export function accessLog(clock: Clock): Stage {
  return (exchange, next) => {
    const { request, response, path } = exchange; // the path as it came
    const { socket } = request;
    const [begin, sent] = [clock.monotonic(), socket.bytesWritten];
    const address = socket.remoteAddress; // nobody knows it once the connection is closed
    response.once("close", () => {
      const milliseconds = Math.round((clock.monotonic() - begin) * 10) / 10;
      tell(exchange, path, { milliseconds, bytes: socket.bytesWritten - sent, address });
    });
    return next();
  };
}

function tell(exchange: Exchange, path: string, measured: Fields): void {
  const { response, query, log, login } = exchange;
  const level = levelOf(exchange);
  if (!log.isEnabled(level)) return;
  log[level]("answered", {
    method: methodOf(exchange).slice(0, longestMethod),
    path: shownPath(path),
    query: query.size > 0 ? shownQuery(query) : undefined,
    status: statusOf(response),
    ...measured,
    user: login.caller.username,
    ...(!isUpgraded(response) && !response.writableFinished && { cut: true }),
  });
}

/** Characters of a method that are told: `_method` may be anything. */
const longestMethod = 20;

/** What is no read by one of its methods, that of HTTP or `_method`, may have written. */
function levelOf(exchange: Exchange): "debug" | "info" {
  const status = statusOf(exchange.response);
  const wrote = [exchange.request.method ?? "GET", methodOf(exchange)].some(isWrite);
  return wrote || status >= 500 || status === 401 || status === 403 ? "info" : "debug";
}
