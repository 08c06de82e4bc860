import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "@drover/api";
import { expect } from "chai";
import { closedLoop } from "./closed-loop.ts";

describe("a closed loop", function () {
  this.timeout(120_000); // Go builds it the first time

  let pair: Awaited<ReturnType<typeof selfSigned>>;

  before(async () => {
    pair = await selfSigned(["127.0.0.1"], Date.now());
  });

  /** Runs something against a server that answers so. */
  async function against<T>(
    listener: RequestListener,
    use: (base: string) => Promise<T>,
  ): Promise<T> {
    const server = createServer({ cert: pair.cert, key: pair.key }, listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      return await use(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const headers = { "impersonate-user": "somebody", "accept-encoding": "gzip" };
  const path = (index: number): string => `/page/${index}`;

  it("asks for each path once, after the first of each connection, and reads all of every answer", async () => {
    const asked: string[] = [];
    const sockets = new Set<unknown>();
    const sent = new Set<string>();
    const found = await against(
      (request, response) => {
        asked.push(request.url ?? "");
        sockets.add(request.socket);
        sent.add(`${request.headers["impersonate-user"]} ${request.headers["accept-encoding"]}`);
        response.end(Buffer.alloc(300_000));
      },
      (base) => closedLoop({ base, headers, path }, 3, { requests: 20, time: 60_000 }),
    );

    expect(asked.slice(0, 3)).to.have.members([path(0), path(1), path(2)]);
    expect(asked.slice(3)).to.have.members(Array.from({ length: 20 }, (_, index) => path(index)));
    expect([sockets.size, [...sent]]).to.deep.equal([3, ["somebody gzip"]]);
    expect(found).to.include({ count: 20, bytes: 300_000 });
    expect([found.p50 > 0, found.p50 <= found.p99, found.p99 <= found.max]).to.not.include(false);
  });

  it("ends when the time is over", async () => {
    const { count } = await against(
      (_, response) => setTimeout(() => response.end("late"), 20), // the server is slow
      (base) => closedLoop({ base, headers, path }, 2, { requests: 10_000, time: 200 }),
    );

    expect(count).to.be.within(2, 22);
  });

  for (const [what, answer, says] of [
    ["an answer that is no 200", 404, /\/page\/\d: status 404/],
    ["an answer that leads elsewhere", 302, /\/page\/\d: status 302/],
    ["an answer that breaks off", 0, /EOF|reset/],
  ] as const) {
    it(`rejects ${what}`, async () => {
      const failed = await against(
        (request, response) => {
          if (answer !== 0) response.writeHead(answer, { location: "/" }).end();
          else response.writeHead(200, { "content-length": "10" }).write("12345");
          if (answer === 0) request.socket.end();
        },
        (base) => closedLoop({ base, headers, path }, 2, { requests: 10, time: 60_000 }),
      ).catch((error: unknown) => String(error));

      expect(failed).to.match(says);
    });
  }
});
