/** Makes a websocket of a request that asks for one. */

import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import type { Exchange } from "../../stage.ts";
import { Problem } from "../problem.ts";
import { methodIn, unsupported } from "../route.ts";
import { longestMessage } from "./message.ts";

/** A websocket and the connection below it. */
export interface Opened {
  readonly ws: WebSocket;
  readonly socket: Duplex;
}

const options: ServerOptions = {
  ...{ noServer: true, clientTracking: false, maxPayload: longestMessage },
  allowSynchronousEvents: false, // thousands of messages are read at once: others have a turn between two of them
};

/** Each message is packed on its own, so that the same bytes do for all, and nothing stays in memory between messages. */
const packing = new WebSocketServer({
  ...options,
  perMessageDeflate: { serverNoContextTakeover: true, clientNoContextTakeover: true },
});

/** For those who could not read what is packed with the usual window. */
const plain = new WebSocketServer({ ...options, perMessageDeflate: false });

/** Headers of the answer so far that belong into the 101, by request. */
const remembered = new WeakMap<IncomingMessage, OutgoingHttpHeaders>();

/** What is wrong with handshakes that were looked at just now. */
const refusals = new WeakMap<IncomingMessage, Error>();

for (const server of [packing, plain]) {
  server.on("wsClientError", (error, _, request) => refusals.set(request, error));
  server.on("headers", (lines, request) => {
    for (const [name, value] of Object.entries(remembered.get(request) ?? {})) {
      for (const each of Array.isArray(value) ? value : [value]) lines.push(`${name}: ${each}`);
    }
  });
}

/** Takes the connection over, and calls back. Throws a Problem for a request that asks for nothing, by another method than GET, or in a way that nobody understands. */
export function openWebSocket(exchange: Exchange, open: (opened: Opened) => void): void {
  const { request, response, upgrade } = exchange;
  for (const method of [methodIn(exchange), request.method ?? ""])
    if (method !== "GET") throw unsupported(method);
  if (upgrade?.protocol !== "websocket") {
    throw malformed("subscribe is a websocket; the request does not ask for one, or has a body");
  }
  remembered.set(request, headersIn(response.getHeaders()));
  const { socket, head, giveBack } = upgrade.accept();
  const wished = String(request.headers["sec-websocket-extensions"] ?? "");
  const server = wished.includes("server_max_window_bits") ? plain : packing;
  server.handleUpgrade(request, socket, head, (ws) => open({ ws, socket }));
  const refusal = refusals.get(request);
  if (refusal === undefined) return;
  giveBack();
  response.setHeader("Sec-WebSocket-Version", "13"); // RFC 6455, section 4.4
  throw malformed(refusal.message);
}

function malformed(message: string): Problem {
  return new Problem(400, "BadRequest", message);
}

/** Cookies, and what has a name of our own. */
function headersIn(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => /^(?:set-cookie$|x-)/i.test(name));
  return Object.fromEntries(kept);
}
