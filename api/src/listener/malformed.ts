/** Answers to what is no HTTP request, or none that anybody serves, of which node:http makes no response. */

import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { endGivenAway, responseOn } from "./over.ts";

/** A status, and what is told with it. */
type Told = readonly [status: string, message: string];

/** What the parser of node:http complains of, and what it is told. */
const answers: Readonly<Record<string, Told>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "the headers are too long"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Content Too Large", "the chunk extensions are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "the request took too long to arrive"],
};
const malformed: Told = ["400 Bad Request", "malformed HTTP request"];
const tunnel: Told = ["405 Method Not Allowed", "Invalid method CONNECT not supported"];

/** Whether nobody would hear an answer. */
export function isGone({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET";
}

/**
 * Says what is wrong, unless an answer has begun, and ends the connection. Each piece of what cannot be read is told anew: what comes behind the last answer is let go by, since
 * a connection that is cut takes the answer along.
 */
export function refuseMalformed({ code = "" }: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writableEnded) return;
  if (isAnswered(socket)) socket.destroy();
  else endGivenAway(socket, answerOf(answers[code] ?? malformed));
}

/** Refuses CONNECT, with which node:http gives the connection away. */
export function refuseTunnel(socket: Duplex): void {
  endGivenAway(socket, answerOf(tunnel));
}

/** The whole answer, behind which the connection ends. */
function answerOf([status, message]: Told): string {
  const code = status.slice(4).replaceAll(" ", "");
  const error = { type: "error", links: {}, status: Number.parseInt(status, 10), code, message };
  const body = `${JSON.stringify(error)}\n`;
  const headers = [
    `HTTP/1.1 ${status}`,
    `X-Request-Id: ${randomUUID()}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}

/** Whether some of an answer is on its way, which must not be mixed with another. */
function isAnswered(socket: Duplex): boolean {
  return responseOn(socket)?.headersSent === true;
}
