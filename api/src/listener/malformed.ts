/** Answers to what is no HTTP request. */

import { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** What the parser of node:http complains of, and what it is told. */
const answers: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "the headers are too long"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Content Too Large", "the chunk extensions are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "the request took too long to arrive"],
};
const malformed = ["400 Bad Request", "malformed HTTP request"] as const;

/** Listens to `clientError`. Says what is wrong, unless an answer has begun or nobody is there, and ends the connection. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || isAnswered(socket) || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] = answers[error.code ?? ""] ?? malformed;
  const code = status.slice(4).replaceAll(" ", "");
  const body = `${JSON.stringify({ type: "error", links: {}, status: Number.parseInt(status, 10), code, message })}\n`;
  const headers = [
    `HTTP/1.1 ${status}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}

/** Whether some of an answer is on its way, which must not be mixed with another. */
function isAnswered(socket: Duplex): boolean {
  const answer: unknown = "_httpMessage" in socket ? socket._httpMessage : null;
  return answer instanceof ServerResponse && answer.headersSent;
}
