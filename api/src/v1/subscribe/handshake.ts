/** Makes a websocket of a request that asks for one. */

import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import type { Exchange } from "../../stage.ts";
import { Problem } from "../problem.ts";
import { bodyOf } from "../refuse.ts";
import { longestMessage } from "./message.ts";

/** A websocket and the connection below it. */
export interface Opened {
  readonly ws: WebSocket;
  readonly socket: Duplex;
}

const options: ServerOptions = {
  ...{ noServer: true, clientTracking: false, maxPayload: longestMessage },
};

/** Each message is packed on its own, so that the same bytes do for all, and nothing stays in memory between messages. */
const packing = new WebSocketServer({
  ...options,
  perMessageDeflate: { serverNoContextTakeover: true, clientNoContextTakeover: true },
});

/** For those who could not read what is packed with the usual window. */
const plain = new WebSocketServer({ ...options, perMessageDeflate: false });

/** Headers of the answer so far that belong into the 101, or the 400, by request. */
const remembered = new WeakMap<IncomingMessage, OutgoingHttpHeaders>();

for (const server of [packing, plain]) {
  server.on("wsClientError", ({ message }, socket, request) =>
    socket.end(refusalOf(message, remembered.get(request))),
  );
  server.on("headers", (lines, request) => {
    lines.push(...linesOf(remembered.get(request)));
  });
}

/** Takes the connection over. Calls back unless the request turns out to be malformed, which is answered. Throws a Problem for a request that asks for nothing. */
export function openWebSocket(
  { request, response, upgrade }: Exchange,
  open: (opened: Opened) => void,
): void {
  if (upgrade?.protocol !== "websocket") {
    throw new Problem(
      400,
      "BadRequest",
      "subscribe is a websocket; the request does not ask for one",
    );
  }
  remembered.set(request, headersIn(response.getHeaders()));
  const { socket, head } = upgrade.accept();
  const wished = String(request.headers["sec-websocket-extensions"] ?? "");
  const server = wished.includes("server_max_window_bits") ? plain : packing;
  server.handleUpgrade(request, socket, head, (ws) => open({ ws, socket }));
}

/** What a request is told that asks for a websocket in a way that nobody understands, as /v1 tells it. */
function refusalOf(message: string, headers: OutgoingHttpHeaders | undefined): string {
  const body = JSON.stringify(bodyOf(new Problem(400, "BadRequest", message)));
  const head = ["HTTP/1.1 400 Bad Request", "Connection: close", "Content-Type: application/json"];
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [...head, ...linesOf(headers), length, "", body].join("\r\n");
}

function linesOf(headers: OutgoingHttpHeaders = {}): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`),
  );
}

/** Cookies, and what has a name of our own. */
function headersIn(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => /^(?:set-cookie$|x-)/i.test(name));
  return Object.fromEntries(kept);
}
