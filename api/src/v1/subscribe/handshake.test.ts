import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { WebSocket } from "ws";
import { answer } from "../../listener/exchange.ts";
import { answerUpgrade } from "../../listener/upgrade.ts";
import { type Opened, openWebSocket } from "./handshake.ts";

describe("openWebSocket", () => {
  let server: Server;
  afterEach(() => server.close());

  async function clientOf(open: (opened: Opened) => void): Promise<WebSocket> {
    const answering = {
      handle: async (exchange: Parameters<typeof openWebSocket>[0]) =>
        openWebSocket(exchange, open),
      ...{ log: silentLogger, stopping: new AbortController().signal },
    };
    server = createServer();
    server.on("upgrade", (request: IncomingMessage, socket, head) =>
      answerUpgrade(request, socket, head, (response, upgrade) =>
        answer(request, response, upgrade, answering),
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const ws = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await once(ws, "open");
    return ws;
  }

  it("lets everybody else have a turn between two messages that come at once", async () => {
    let seen = 0;
    let inTurn = 0;
    let most = 0;
    const client = await clientOf(({ ws }) =>
      ws.on("message", () => {
        seen++;
        most = Math.max(most, ++inTurn);
        setImmediate(() => {
          inTurn = 0;
        });
      }),
    );

    for (let count = 0; count < 1000; count++) client.send("{");
    await eventually(() => seen === 1000);
    client.terminate();

    expect(most).to.equal(1);
  });
});
