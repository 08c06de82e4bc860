/** Requests that ask to change the protocol of their connection. */

import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Upgrade } from "../stage.ts";
import { endGivenAway } from "./over.ts";

/** Protocols that somebody behind may speak; whoever asks for another (h2c) gets an answer as if they had not asked. */
const spoken = /^(websocket|spdy\/3\.1)$/i;

/** Whether the request is to be treated as an upgrade. One with a body is not: node:http would take that for what the new protocol begins with, and a deletion would lose its options. */
export function asksToUpgrade({ headers }: IncomingMessage): boolean {
  const { upgrade = "", "content-length": length = "0", "transfer-encoding": encoding } = headers;
  return spoken.test(upgrade) && Number(length) === 0 && encoding === undefined;
}

/** Whether a request may have a body that nobody reads: where another protocol is asked for, node:http takes any transfer coding but `chunked` for no body, which it refuses otherwise. */
export function hidesBody({ headers }: IncomingMessage): boolean {
  const { upgrade, "transfer-encoding": encoding } = headers;
  return upgrade !== undefined && encoding !== undefined && !/(^|,)\s*chunked\s*$/i.test(encoding);
}

/** Gives an upgrade a response on its connection, which nobody else writes to and which ends behind the answer, and has it answered. */
export function answerUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answerWith: (response: ServerResponse, upgrade: Upgrade) => void,
): void {
  const response = new OrdinaryAnswer(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket); // node:http gives a net.Socket or TLSSocket, and types it as less
  response.once("finish", () => endGivenAway(socket));
  answerWith(response, upgradeOf(request, response, socket, head));
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * An answer as if nobody had asked to upgrade. Once it has begun nobody will take the connection over: what the client sends is let go by, as otherwise nobody would see when it goes, and its end ends the
 * connection, as node:http has it of other requests.
 */
class OrdinaryAnswer extends ServerResponse {
  // node:http calls it whoever begins an answer, and however
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const { socket } = this;
    socket?.once("end", () => socket.end()).resume();
    return typeof reason === "string"
      ? super.writeHead(status, reason, headers)
      : super.writeHead(status, reason ?? headers);
  }
}

function upgradeOf(
  { headers }: IncomingMessage,
  response: ServerResponse,
  socket: Duplex,
  head: Buffer,
): Upgrade {
  let accepted = false;
  const accept: Upgrade["accept"] = () => {
    if (accepted || response.headersSent) throw new Error("the upgrade has been answered already");
    accepted = true;
    response.detachSocket(socket as Socket);
    response.statusCode = 101;
    const { timeout = 0 } = socket as Socket;
    (socket as Socket).setTimeout(0).setNoDelay(true);
    const giveBack = (): void => {
      response.statusCode = 200;
      (socket as Socket).setTimeout(timeout);
      response.assignSocket(socket as Socket);
    };
    return { socket, head, giveBack };
  };
  return { protocol: headers.upgrade?.toLowerCase() ?? "", accept };
}
