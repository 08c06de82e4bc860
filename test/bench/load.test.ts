import type { RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { selfSigned } from "@drover/api";
import { expect } from "chai";
import { type Bounds, closedLoop, openLoop, type Walks, walks } from "./load.ts";

/** Runs something against a server that answers so. */
async function against<T>(
  listener: RequestListener,
  use: (base: string) => Promise<T>,
): Promise<T> {
  const { cert, key } = await selfSigned(["127.0.0.1"], Date.now());
  const server = createServer({ cert, key }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("a closed loop", function () {
  this.timeout(120_000); // Go builds it the first time

  const headers = { "impersonate-user": "somebody", "accept-encoding": "gzip" };
  const path = (index: number): string => `/page/${index}`;

  it("asks for each path once, those of the connections' first answers too, and reads all of every answer", async () => {
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
    expect(asked).to.have.members(Array.from({ length: 23 }, (_, index) => path(index)));
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

describe("an open loop", function () {
  this.timeout(120_000); // Go builds it the first time

  const headers = { "impersonate-user": "somebody" };
  const path = (index: number): string => `/page/${index}`;

  it("asks for each path once, after one that does not count, on connections as it needs them", async () => {
    const asked: string[] = [];
    const sockets = new Set<unknown>();
    const found = await against(
      (request, response) => {
        asked.push(`${request.headers["impersonate-user"]} ${request.url}`);
        sockets.add(request.socket);
        response.end(Buffer.alloc(300_000));
      },
      (base) => openLoop({ base, headers, path }, 5, { requests: 4, time: 60_000 }),
    );

    expect(asked[0]).to.equal("somebody /page/0");
    expect(asked.slice(1)).to.have.members([0, 1, 2, 3].map((index) => `somebody ${path(index)}`));
    expect(sockets.size).to.be.within(1, 4);
    expect(found).to.include({ count: 4, bytes: 300_000 });
  });

  it("asks at its rate, whether answers come or not, and ends when all have come", async () => {
    const waiting: (() => void)[] = [];
    let isFirst = true;
    const found = await against(
      (_, response) => {
        if (isFirst) response.end();
        else waiting.push(() => response.end());
        isFirst = false;
        if (waiting.length === 20) for (const answer of waiting) answer(); // none before all are asked
      },
      (base) => openLoop({ base, headers, path }, 100, { requests: 1000, time: 200 }),
    );

    expect(found.count).to.equal(20);
    expect(found.max, "the first waited for the last, 190 ms later").to.be.at.least(185);
  });

  it("counts the time that requests wait for a connection, of which there are 32", async () => {
    const held: ServerResponse[] = [];
    let asked = 0;
    const found = await against(
      (_, response) => {
        if (asked++ === 0 || asked > 33) response.end();
        else held.push(response);
        if (asked === 33) setTimeout(() => held.map((each) => each.end()), 300); // the server is slow
      },
      (base) => openLoop({ base, headers, path }, 1000, { requests: 200, time: 60_000 }),
    );

    expect(found.count).to.equal(200);
    expect(found.p50, "answered at once, when asked at last").to.be.at.least(100);
  });

  it("rejects an answer that is no 200", async () => {
    const failed = await against(
      (request, response) => response.writeHead(request.url === path(3) ? 429 : 200).end(),
      (base) => openLoop({ base, headers, path }, 100, { requests: 1000, time: 60_000 }),
    ).catch((error: unknown) => String(error));

    expect(failed).to.contain("/page/3: status 429");
  });
});

describe("walks", function () {
  this.timeout(120_000); // Go builds it the first time

  const path = "/v1/pods";
  const once = { requests: 1, time: 60_000 };
  const filler = "x".repeat(300_000);

  /** The paths that somebody asks for who walks once, given the answers in turn; the last one stands for all that follow. */
  async function pathsOf(
    by: Walks["by"],
    bodies: readonly string[],
    isPacked = false,
  ): Promise<readonly string[]> {
    const asked: string[] = [];
    await against(
      (request, response) => {
        const body = bodies[asked.length] ?? bodies.at(-1) ?? "";
        asked.push(request.url ?? "");
        if (isPacked) response.setHeader("Content-Encoding", "gzip");
        response.end(isPacked ? gzipSync(body) : body);
      },
      (base) =>
        walks({ base, headers: [{ "accept-encoding": "gzip" }], path, pageSize: 100, by }, once),
    );
    return asked;
  }

  for (const isPacked of [false, true]) {
    const form = isPacked ? "in gzip" : "as they are";

    for (const [total, last] of [
      [0, 1],
      [100, 1],
      [101, 2],
      [400, 4],
    ] as const) {
      it(`ask for ${last} pages of ${total} objects, ${form}`, async () => {
        const body = `{"type":"collection","revision":"77","count":${total},"data":["${filler}"]}`;

        const asked = await pathsOf("page", [body, "{}"], isPacked);

        expect(asked[0]).to.equal("/v1/pods?pagesize=100&page=1");
        expect(asked).to.have.length(last);
        if (last > 1)
          expect(asked.at(-1)).to.equal(`/v1/pods?pagesize=100&page=${last}&revision=77`);
      });
    }

    it(`go on as long as they are told how, ${form}`, async () => {
      const bodies = [
        `{"metadata":{"continue":"a+b="},"items":["${filler}"]}`,
        '{"metadata":{"resourceVersion":"7"}}',
      ];

      expect(await pathsOf("continue", bodies, isPacked)).to.deep.equal([
        "/v1/pods?limit=100",
        "/v1/pods?limit=100&continue=a%2Bb%3D",
      ]);
    });
  }

  it("reject where no total is told", async () => {
    const failed = await pathsOf("page", ["{}"]).catch((error: unknown) => String(error));

    expect(failed).to.contain("/v1/pods tells no total");
  });

  /** Two walk through two pages each, as often and as long as told; resolves with who asked on which connection. */
  async function twoWalk(bounds: Bounds, delay = 0) {
    const asked = new Map<unknown, Set<string>>();
    const found = await against(
      (request, response) => {
        const users = asked.get(request.socket) ?? new Set();
        asked.set(request.socket, users.add(String(request.headers["impersonate-user"])));
        setTimeout(() => response.end('{"revision":"77","count":200}'), delay); // the server is slow
      },
      (base) => {
        const headers = ["a", "b"].map((user) => ({ "impersonate-user": user }));
        return walks({ base, headers, path, pageSize: 100, by: "page" }, bounds);
      },
    );
    return { found, users: Array.from(asked.values(), (users) => [...users].join()) };
  }

  it("are made by each walker on a connection of their own, so many times", async () => {
    const { found, users } = await twoWalk({ requests: 3, time: 60_000 });

    expect(users).to.have.members(["a", "b"]);
    expect(found.count).to.equal(2 * 3 * 2);
  });

  it("end when the time is over", async () => {
    const { found } = await twoWalk({ requests: 10_000, time: 200 }, 20);

    expect(found.count).to.be.within(2, 22);
  });
});
