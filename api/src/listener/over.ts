/** How responses learn that their connection has ended. */

import type { ServerResponse } from "node:http";

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

/** Whether a response ended before it was complete. */
export function isCut(response: ServerResponse): boolean {
  return response.destroyed && !response.writableFinished;
}
