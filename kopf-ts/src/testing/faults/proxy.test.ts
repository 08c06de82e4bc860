import { createServer, get as httpGet, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { eventually } from "../eventually.ts";
import { type Fault, formOf } from "./fault.ts";
import { type FaultProxy, startFaultProxy } from "./proxy.ts";

const bookmark =
  '{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}';
const events = ['{"type":"ADDED","object":{"n":1}}', '{"type":"ADDED","object":{"n":2}}', bookmark];
const watchPath = "/api/v1/pods?watch=1&sendInitialEvents=true";

/** A server that answers every watch with the same events and stays open, and everything else with its request. */
async function startServer(): Promise<
  { readonly url: string; readonly open: () => number } & AsyncDisposable
> {
  const watching = new Set<ServerResponse>();
  const server: Server = createServer((request, response) => {
    if (!request.url?.includes("watch=1")) {
      response.end(`${request.method} ${request.url} ${request.headers.authorization ?? "nobody"}`);
      return;
    }
    watching.add(response);
    response.once("close", () => watching.delete(response));
    for (const event of events) response.write(`${event}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => watching.size,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answer {
  readonly text: string;
  readonly end: "whole" | "broken" | "open";
  readonly status: number;
}

/** Reads until the answer ends, breaks or has come to `enough`. */
function get(proxy: FaultProxy, path: string, enough = "\0"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpGet(proxy.url + path, { agent: false }, (response) => {
      const { statusCode: status = 0 } = response;
      let text = "";
      const settle = (end: Answer["end"]): void => {
        resolve({ text, end, status });
        request.destroy();
      };
      response.on("data", (chunk) => {
        text += chunk;
        if (text.includes(enough)) settle("open");
      });
      response.on("end", () => settle("whole"));
      response.on("error", () => settle("broken"));
    });
    request.on("error", reject);
  });
}

describe("FaultProxy", () => {
  it("passes everything on while nothing is ordered", async () => {
    await using server = await startServer();
    await using proxy = await startFaultProxy({ server: server.url, credentials: { token: "t" } });

    const answer = await get(proxy, "/api/v1/pods?limit=1");
    const watch = await get(proxy, watchPath, "initial-events-end");

    expect(answer).to.deep.equal({
      text: "GET /api/v1/pods?limit=1 Bearer t",
      end: "whole",
      status: 200,
    });
    expect(watch).to.deep.include({ text: `${events.join("\n")}\n`, end: "open" });
    expect(proxy.requests.map(({ form }) => form)).to.deep.equal(["list", "watchList"]);
    expect(proxy.counts).to.deep.equal({});
    await eventually(() => server.open() === 0); // the client went away, so does the request behind
  });

  const [first = "", second = ""] = events;
  for (const { fault, text, end } of [
    { fault: { kind: "cut", after: 1 }, text: `${first}\n`, end: "broken" },
    { fault: { kind: "end", after: 1 }, text: `${first}\n`, end: "whole" },
    {
      fault: { kind: "halfLine", after: 1 },
      text: `${first}\n${second.slice(0, 17)}`,
      end: "whole",
    },
    {
      fault: { kind: "duplicate", after: 1 },
      text: `${first}\n${second}\n${second}\n${bookmark}\n`,
      end: "open",
    },
    { fault: { kind: "slow" }, text: `${events.join("\n")}\n`, end: "open" },
  ] satisfies readonly { fault: Fault; text: string; end: string }[]) {
    it(`does ${fault.kind} to one watch, where it is told to`, async () => {
      await using server = await startServer();
      await using proxy = await startFaultProxy({ server: server.url });
      proxy.next(fault);

      const answer = await get(proxy, watchPath, `${bookmark}\n`);
      const next = await get(proxy, watchPath, `${bookmark}\n`);

      expect(answer).to.deep.include({ text, end });
      expect(next).to.deep.include({ text: `${events.join("\n")}\n`, end: "open" });
      expect(proxy.counts).to.deep.equal({ [fault.kind]: 1 });
    });
  }

  it("withholds the end of a streamed list and nothing else", async () => {
    await using server = await startServer();
    await using proxy = await startFaultProxy({ server: server.url });
    proxy.next({ kind: "withholdEnd" });
    const reading = get(proxy, watchPath);
    await eventually(() => proxy.open() === 1);

    proxy.now({ kind: "end" });

    expect(await reading).to.deep.include({
      text: `${events.slice(0, 2).join("\n")}\n`,
      end: "whole",
    });
  });

  for (const { fault, contains } of [
    { fault: { kind: "gone" }, contains: '"code":410' },
    { fault: { kind: "error", code: 429, retryAfter: 2 }, contains: '"retryAfterSeconds":2' },
  ] satisfies readonly { fault: Fault; contains: string }[]) {
    it(`sends an ERROR event for ${fault.kind} to what is open`, async () => {
      await using server = await startServer();
      await using proxy = await startFaultProxy({ server: server.url });
      const reading = get(proxy, watchPath);
      await eventually(() => proxy.open() === 1);

      const hit = proxy.now(fault);
      const { text, end } = await reading;

      expect(hit).to.equal(1);
      expect(end).to.equal("whole");
      expect(text.trim().split("\n").at(-1))
        .to.match(/^\{"type":"ERROR"/)
        .and.contain(contains);
    });
  }

  it("stalls: the connection stays, and nothing comes", async () => {
    await using server = await startServer();
    await using proxy = await startFaultProxy({ server: server.url });
    proxy.next({ kind: "stall", after: 1 });
    const reading = get(proxy, watchPath);
    await eventually(() => proxy.count("stall") === 1);

    expect(proxy.open()).to.equal(1);
    await proxy.down();
    expect(await reading).to.deep.include({ text: `${first}\n`, end: "broken" });
  });

  it("answers in place of the server until told otherwise", async () => {
    await using server = await startServer();
    await using proxy = await startFaultProxy({ server: server.url });
    const fault = { kind: "status", code: 429, retryAfter: 3 } as const;
    const refusing = proxy.always(fault, ({ form }) => form === "list");

    const refused = await fetch(`${proxy.url}/api/v1/pods`);
    const other = await get(proxy, "/version");
    refusing[Symbol.dispose]();
    const after = await get(proxy, "/api/v1/pods");

    expect(refused.headers.get("retry-after")).to.equal("3");
    expect(await refused.json()).to.deep.include({
      kind: "Status",
      code: 429,
      reason: "TooManyRequests",
    });
    expect([other.status, after.status]).to.deep.equal([200, 200]);
  });

  it("is away and comes back at the same port", async () => {
    await using server = await startServer();
    await using proxy = await startFaultProxy({ server: server.url });
    const { url } = proxy;

    await proxy.down();
    const refused = await get(proxy, "/version").catch(() => "refused");
    await proxy.up();

    expect(refused).to.equal("refused");
    expect((await get(proxy, "/version")).status).to.equal(200);
    expect(proxy.url).to.equal(url);
  });

  it("breaks off when the server does", async () => {
    const server = await startServer();
    await using proxy = await startFaultProxy({ server: server.url });
    const reading = get(proxy, watchPath);
    await eventually(() => proxy.open() === 1);

    await server[Symbol.asyncDispose]();

    expect((await reading).end).to.equal("broken");
  });

  it("chooses the same faults for the same seed", async () => {
    await using server = await startServer();
    const story = async (seed: number): Promise<readonly number[]> => {
      await using proxy = await startFaultProxy(
        { server: server.url },
        { seed, rates: { status5xx: 0.3, status429: 0.2 } },
      );
      const statuses: number[] = [];
      for (let i = 0; i < 30; i++) statuses.push((await get(proxy, "/version")).status);
      return statuses;
    };

    const [one, again, other] = [await story(1), await story(1), await story(2)];

    expect(again).to.deep.equal(one);
    expect(other).to.not.deep.equal(one);
    expect(new Set(one).size).to.be.greaterThan(2);
  });
});

describe("formOf", () => {
  for (const [method, path, form] of [
    ["GET", "/api/v1/pods", "list"],
    ["GET", "/api/v1/namespaces/a/pods?limit=1", "list"],
    ["GET", "/api/v1/namespaces/a", "other"],
    ["GET", "/api/v1/namespaces", "list"],
    ["GET", "/apis/apps/v1/deployments", "list"],
    ["GET", "/apis/apps/v1/namespaces/a/deployments/b", "other"],
    ["GET", "/apis/apps/v1", "other"],
    ["GET", "/version", "other"],
    ["POST", "/api/v1/pods", "other"],
    ["GET", "/api/v1/pods?watch=true", "watch"],
    ["GET", "/api/v1/pods?watch=1&sendInitialEvents=true", "watchList"],
  ] as const) {
    it(`takes ${method} ${path} for ${form}`, () => {
      expect(formOf(method, new URL(path, "http://x"))).to.equal(form);
    });
  }
});
