import type { ServerResponse } from "node:http";

const chunk = Buffer.alloc(1 << 20, " ");

/** Answers without end, as fast as it is read, until whoever asked hangs up; `written` counts what was taken. */
export function flood(response: ServerResponse, written: { bytes: number }): void {
  let hasRoom = true;
  while (hasRoom && !response.destroyed) {
    hasRoom = response.write(chunk);
    written.bytes += chunk.length;
  }
  if (!response.destroyed) response.once("drain", () => flood(response, written));
}
