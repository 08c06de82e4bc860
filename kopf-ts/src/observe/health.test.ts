import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { type HealthAnswer, HealthChecks } from "./health.ts";

const answer = async (
  health: HealthChecks,
  path: string,
  query = "",
): Promise<HealthAnswer | undefined> => health.respond(path, new URLSearchParams(query));
const fail = (message: string) => (): never => {
  throw new Error(message);
};

describe("HealthChecks", () => {
  it("answers ok while all is well", async () => {
    const health = new HealthChecks();
    health.ready("caches", () => undefined);

    for (const path of ["/healthz", "/livez", "/readyz", "/readyz/", "/readyz/caches"]) {
      expect(await answer(health, path)).to.deep.equal({ status: 200, body: "ok" });
    }
  });

  it("lists the checks when asked", async () => {
    const health = new HealthChecks();
    health.ready("caches", () => undefined);

    expect(await answer(health, "/readyz", "verbose")).to.deep.equal({
      status: 200,
      body: "[+]ping ok\n[+]caches ok\nreadyz check passed\n",
    });
  });

  it("tells what a check says, in the list only", async () => {
    const health = new HealthChecks();
    health.ready("leadership", async () => "another process leads:\nb");

    expect((await answer(health, "/readyz", "verbose"))?.body).to.equal(
      "[+]ping ok\n[+]leadership ok: another process leads:; b\nreadyz check passed\n",
    );
    for (const path of ["/readyz", "/readyz/leadership"]) {
      expect(await answer(health, path)).to.deep.equal({ status: 200, body: "ok" });
    }
    expect(await health.unready()).to.deep.equal([]);
  });

  it("answers 500 with the reason of every failure", async () => {
    const health = new HealthChecks();
    health.ready("caches", fail("tokens.management.cattle.io: Forbidden"));
    health.ready("late", () =>
      Promise.reject(new Error("two\nlines", { cause: new Error("why") })),
    );

    expect(await answer(health, "/readyz")).to.deep.equal({
      status: 500,
      body: [
        "[+]ping ok",
        "[-]caches failed: tokens.management.cattle.io: Forbidden",
        "[-]late failed: two; lines: why",
        "readyz check failed",
        "",
      ].join("\n"),
    });
    expect(await answer(health, "/readyz/caches")).to.deep.equal({
      status: 500,
      body: "caches failed: tokens.management.cattle.io: Forbidden\n",
    });
    expect(await health.unready()).to.deep.equal([
      "caches: tokens.management.cattle.io: Forbidden",
      "late: two; lines: why",
    ]);
  });

  for (const { name, message, reason } of [
    {
      name: "without its secrets",
      message: "GET https://u:hunter2@h: Bearer abcdefgh",
      reason: "GET https://u:[redacted]@h: Bearer [redacted]",
    },
    { name: "in one line", message: "two \r\n\n  lines", reason: "two; lines" },
    { name: "without control characters", message: "\x1b[2J\x9b2J", reason: "\\u001b[2J\\u009b2J" },
    { name: "cut", message: "x".repeat(1_000_000), reason: `${"x".repeat(1024)}[cut]` },
    {
      name: "soon, whatever it holds",
      message: `a${" ".repeat(200_000)}b`,
      reason: `a${" ".repeat(1023)}[cut]`,
    },
  ]) {
    it(`tells a reason ${name}`, async () => {
      const health = new HealthChecks();
      health.ready("cache", fail(message));

      expect((await answer(health, "/readyz/cache"))?.body).to.equal(`cache failed: ${reason}\n`);
      expect(await health.unready()).to.deep.equal([`cache: ${reason}`]);
    });
  }

  it("answers for an error that causes itself", async () => {
    const health = new HealthChecks();
    const error = new Error("round");
    error.cause = error;
    health.ready("ring", () => Promise.reject(error));

    expect((await answer(health, "/readyz"))?.body).to.contain("[-]ring failed: round\n");
  });

  it("keeps liveness and readiness apart", async () => {
    const health = new HealthChecks();
    health.ready("caches", fail("no"));
    health.live("loop", () => undefined);

    expect((await answer(health, "/healthz"))?.status).to.equal(200);
    expect((await answer(health, "/readyz"))?.status).to.equal(500);
    expect((await answer(health, "/readyz/loop"))?.status).to.equal(404);
  });

  it("leaves out what the caller excludes", async () => {
    const health = new HealthChecks();
    health.ready("caches", fail("no"));

    expect(await answer(health, "/readyz", "verbose&exclude=caches")).to.deep.equal({
      status: 200,
      body: "[+]ping ok\n[+]caches excluded: ok\nreadyz check passed\n",
    });
  });

  it("fails a check that does not answer in time, and tells it so", async () => {
    const health = new HealthChecks({
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal) },
    });
    let told: AbortSignal | undefined;
    health.ready("hangs", (signal) => {
      told = signal;
      return new Promise(() => undefined);
    });

    expect((await answer(health, "/readyz/hangs"))?.body).to.equal(
      "hangs failed: no answer within 2000 ms\n",
    );
    expect(told?.aborted).to.equal(true);
  });

  it("replaces a check by one of the same name, and drops it on disposal", async () => {
    const health = new HealthChecks();
    const first = health.ready("x", fail("first"));
    const second = health.ready("x", fail("second"));

    first[Symbol.dispose]();
    expect(await health.unready()).to.deep.equal(["x: second"]);

    second[Symbol.dispose]();
    expect(await health.unready()).to.deep.equal([]);
  });

  it("finds names with slashes and escapes", async () => {
    const health = new HealthChecks();
    health.ready("cache/tokens.example.com", () => undefined);

    expect((await answer(health, "/readyz/cache/tokens.example.com"))?.status).to.equal(200);
    expect((await answer(health, "/readyz/cache%2Ftokens.example.com"))?.status).to.equal(200);
    expect((await answer(health, "/readyz/%E0%A4%A"))?.status).to.equal(404);
  });

  for (const path of ["/", "/metrics", "/healthzz", "/v1/readyz", "/constructor"]) {
    it(`has nothing to say about ${path}`, () => {
      expect(new HealthChecks().respond(path, new URLSearchParams())).to.equal(undefined);
    });
  }
});
