/** How connections end, and how responses learn of it. */

import { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Ends a connection that node:http has given away, and looks after no more: whoever keeps the other half open is cut after its server's timeout, whatever comes meanwhile. */
export function endGivenAway(socket: Duplex, last?: string): void {
  const { timeout } = socket as Socket; // node:http gives a net.Socket or TLSSocket, and types it as less
  const cut = setTimeout(() => socket.destroy(), timeout).unref();
  socket.once("close", () => clearTimeout(cut)).end(last);
}

/**
 * Has a response say `close` when its connection has. Of itself node:http did so only of the one that was being written: not of those that wait behind it, nor of one
 * that gave its connection away (nodejs/node#62534).
 */
export function overWithConnection(response: ServerResponse): void {
  response.destroy();
  setImmediate(() => {
    if (!response.closed) response.emit("close");
  });
}

/** The response that is being written to a connection. */
export function responseOn(socket: Duplex): ServerResponse | undefined {
  const response: unknown = "_httpMessage" in socket ? socket._httpMessage : undefined;
  return response instanceof ServerResponse ? response : undefined;
}

/** Whether a response ended before it was complete. */
export function isCut(response: ServerResponse): boolean {
  return response.destroyed && !response.writableFinished;
}
