/** What tests send that no HTTP client would. */

import type { Socket } from "node:net";
import { connect } from "node:tls";
import type { Listener } from "../index.ts";

/** An open TLS connection to the listener, and what has come of it. */
export class Raw {
  readonly socket: Socket;
  text = "";
  readonly ended: Promise<string>;

  constructor({ httpsPort }: Listener, ca: string) {
    this.socket = connect({ host: "127.0.0.1", port: httpsPort, servername: "localhost", ca });
    this.socket.setEncoding("latin1").on("data", (chunk: string) => {
      this.text += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.socket.on("error", () => undefined).once("close", () => resolve(this.text));
    });
  }

  /** Resolves when everything so far has left this process. */
  written(): Promise<void> {
    return new Promise((resolve) => this.socket.write("", () => resolve()));
  }

  /** Sends lines of a request, and an empty one. */
  send(...lines: readonly string[]): this {
    this.socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    return this;
  }
}

/** The lines of a websocket's request for a path. */
export function websocketTo(path: string, ...headers: readonly string[]): readonly string[] {
  return [
    `GET ${path} HTTP/1.1`,
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  ];
}
