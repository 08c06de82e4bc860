import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { HealthChecks } from "./health.ts";
import { Metrics } from "./metrics.ts";
import { parseAddress, serveMetrics } from "./serve.ts";

describe("serveMetrics", () => {
  const stop = new AbortController();
  let url = "";

  before(async () => {
    const metrics = new Metrics({ process: false });
    const health = new HealthChecks();
    health.ready("caches", () => Promise.reject(new Error("not yet")));
    metrics.election("x");
    ({ url } = await serveMetrics({ address: "127.0.0.1:0", metrics, health }, stop.signal));
  });
  after(() => stop.abort());

  it("serves metrics in the form of Prometheus", async () => {
    const response = await fetch(`${url}/metrics`);

    expect(response.headers.get("content-type")).to.contain("text/plain; version=0.0.4");
    expect(await response.text()).to.contain('leader_election_master_status{name="x"} 0\n');
  });

  it("serves health with its status", async () => {
    const ready = await fetch(`${url}/readyz?verbose`);

    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    expect(ready.status).to.equal(500);
    expect(await ready.text()).to.contain("[-]caches failed: not yet");
  });

  it("sends no body to HEAD", async () => {
    const response = await fetch(`${url}/healthz`, { method: "HEAD" });

    expect(response.headers.get("content-length")).to.equal("2");
    expect(await response.text()).to.equal("");
  });

  it("knows nothing else", async () => {
    expect((await fetch(`${url}/debug`)).status).to.equal(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).to.equal(405);
  });
});

describe("serveMetrics when an answer fails", () => {
  it("answers 500 with the reason, without its secrets", async () => {
    const stop = new AbortController();
    const metrics = new Metrics({ process: false });
    metrics.queue("q", {
      depths: () => {
        throw new Error("asked with Bearer abcdefgh");
      },
      unfinishedWork: () => 0,
      longestRunning: () => 0,
    });
    const { url } = await serveMetrics({ address: "127.0.0.1:0", metrics }, stop.signal);

    const answer = await fetch(`${url}/metrics`);

    expect(answer.status).to.equal(500);
    expect(await answer.text()).to.equal("asked with Bearer [redacted]\n");
    stop.abort();
  });
});

describe("serveMetrics and its address", () => {
  it("says which address is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };

    const started = serveMetrics({ address: `127.0.0.1:${port}` }, new AbortController().signal);

    expect(await started.catch((error: Error) => error.message)).to.equal(
      `cannot serve metrics and health on 127.0.0.1:${port}: another process listens there; choose another address`,
    );
    taken.close();
  });

  it("closes every connection when the signal aborts", async () => {
    const stop = new AbortController();
    const server = await serveMetrics(
      { address: "127.0.0.1:0", health: new HealthChecks() },
      stop.signal,
    );
    await (await fetch(`${server.url}/healthz`)).text(); // keeps its connection alive

    stop.abort();
    await server.closed;

    const again = await fetch(`${server.url}/healthz`).catch((error: Error) => error.name);
    expect(again).to.equal("TypeError");
  });

  it("closes at once when the signal aborts while it binds", async () => {
    const stop = new AbortController();
    const starting = serveMetrics({ address: "127.0.0.1:0" }, stop.signal);

    stop.abort();
    const server = await starting;
    await server.closed;

    const answer = await fetch(`${server.url}/healthz`).catch((error: Error) => error.name);
    expect(answer).to.equal("TypeError");
  });

  for (const { address, expected } of [
    { address: "127.0.0.1:9108", expected: { host: "127.0.0.1", port: 9108 } },
    { address: "localhost:0", expected: { host: "localhost", port: 0 } },
    { address: ":8080", expected: { port: 8080 } },
    { address: "[::1]:1", expected: { host: "::1", port: 1 } },
  ]) {
    it(`reads ${address}`, () => expect(parseAddress(address)).to.deep.equal(expected));
  }

  for (const address of [
    "",
    "9108",
    "host",
    "host:",
    "host:99999",
    "host:-1",
    "::1:80",
    "http://h:1",
  ]) {
    it(`refuses "${address}"`, () => {
      expect(() => parseAddress(address)).to.throw(TypeError, "host:port");
    });
  }
});
