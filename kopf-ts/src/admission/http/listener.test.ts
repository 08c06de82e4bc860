import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect } from "chai";
import { aborted } from "../../base/index.ts";
import { eventually, seededRandom } from "../../testing/index.ts";
import { allow, deny } from "../request.ts";
import { aRequest, aReview, aWidget, bytesOf, Widget } from "../testing/reviews.ts";
import { type Received, Served } from "../testing/served.ts";
import type { Mutator, Validator } from "../webhook.ts";
import { mostBytes } from "./read-body.ts";

const path = "/w/validation/widgets.example.com";
const rules = [{ operations: ["CREATE", "UPDATE", "DELETE"] }] as const;

function validator(validate: Validator<Widget>["validate"] = () => allow()): Validator<Widget> {
  return { kind: Widget, rules, validate };
}

const review = bytesOf(aReview());

describe("Listener", () => {
  it("asks the handler of a path, and answers in HTTP 200 also when it denies", async () => {
    const mutator: Mutator<Widget> = {
      kind: Widget,
      rules,
      mutate: ({ object }) => object && { ...object, spec: { size: 2 } },
    };
    await using served = await Served.open([validator(() => deny(403, "not you")), mutator]);

    const denied = await served.send({ path, body: review });
    const changed = await served.send({ path: "/w/mutation/widgets.example.com", body: review });

    expect(denied.status).to.equal(200);
    expect(denied.headers["content-type"]).to.equal("application/json");
    expect(JSON.parse(denied.body).response.status.message).to.equal("not you");
    expect(JSON.parse(changed.body).response.patch).to.be.a("string");
  });

  const post = { path, body: review };
  for (const { name, sent, status, text } of [
    { name: "an unknown path", sent: { ...post, path: "/x" }, status: 404, text: "no webhook" },
    { name: "no path", sent: { ...post, path: "/" }, status: 404, text: "no webhook" },
    {
      name: "a path of no kind",
      sent: { ...post, path: "/w/validation/" },
      status: 404,
      text: "no webhook",
    },
    { name: "another method", sent: { path, method: "GET" }, status: 405, text: "by POST" },
    {
      name: "another type",
      sent: { ...post, headers: { "Content-Type": "text/plain" } },
      status: 415,
      text: "application/json",
    },
    { name: "no body", sent: { path }, status: 400, text: "malformed AdmissionReview" },
    { name: "what is no JSON", sent: { path, body: "{" }, status: 400, text: "no valid JSON" },
    {
      name: "a body that says it is too large",
      sent: { path, body: Buffer.alloc(mostBytes + 1, " ") },
      status: 413,
      text: `may have ${mostBytes} bytes`,
    },
    {
      name: "a body that turns out too large",
      sent: {
        path,
        body: Buffer.alloc(mostBytes + 1, " "),
        headers: { "Transfer-Encoding": "chunked" },
      },
      status: 413,
      text: `may have ${mostBytes} bytes`,
    },
  ]) {
    it(`answers ${name} with ${status} and a reason in plain text`, async () => {
      await using served = await Served.open([validator()]);

      const answer = await served.send(sent);

      expect(answer.status).to.equal(status);
      expect(answer.body).to.contain(text);
      expect(answer.headers["content-type"]).to.equal("text/plain; charset=utf-8");
      if (status === 405) expect(answer.headers.allow).to.equal("POST");
    });
  }

  it("takes a type with parameters", async () => {
    await using served = await Served.open([validator()]);
    const headers = { "Content-Type": "Application/JSON; charset=utf-8" };

    expect((await served.send({ ...post, headers })).status).to.equal(200);
  });

  it("answers 500 when a handler throws, tells the log why and the caller nothing", async () => {
    const failing = validator(() => {
      throw new Error("password hunter2 is wrong");
    });
    await using served = await Served.open([failing]);

    const answer = await served.send(post);

    expect(answer.status).to.equal(500);
    expect(answer.body).to.equal("the webhook failed; its log says why");
    const [line] = served.log.lines.filter(({ msg }) => msg === "a webhook failed");
    expect(line).to.include({ webhook: path, kind: "Widget", name: "w", operation: "CREATE" });
    expect(line).to.include({ namespace: "ns", uid: "705ab4f5" });
  });

  it("answers before the API server gives up, and aborts the handler", async () => {
    let signal: AbortSignal | undefined;
    const slow = validator(async (_, context) => {
      signal = context.signal;
      await aborted(context.signal);
      throw context.signal.reason;
    });
    await using served = await Served.open([slow]);

    const answer = await served.send({ ...post, path: `${path}?timeout=100ms` });

    expect(answer.status).to.equal(500);
    expect(answer.body).to.equal("no answer within 90 ms: waiting for the handler");
    expect(signal?.aborted).to.equal(true);
  });

  it("answers in time also when a handler heeds no signal", async () => {
    await using served = await Served.open([validator(() => new Promise(() => undefined))]);

    const answer = await served.send({ ...post, path: `${path}?timeout=100ms` });

    expect(answer.status).to.equal(500);
  });

  it("aborts the handler when whoever asked has gone", async () => {
    let signal: AbortSignal | undefined;
    const slow = validator(async (_, context) => {
      signal = context.signal;
      await aborted(context.signal);
      return allow();
    });
    await using served = await Served.open([slow]);
    const gone = new AbortController();
    const asking = served.send({ ...post, signal: gone.signal }).catch((error) => error);
    await eventually(() => signal !== undefined);

    gone.abort();
    await asking;

    await eventually(() => signal?.aborted);
    const count = `controller_runtime_webhook_requests_total{webhook="${path}",code="499"} 1`;
    await eventually(async () => (await served.metrics.text()).includes(count));
  });

  it("counts answers, measures them and knows how many are in work", async () => {
    const answering = Promise.withResolvers<void>();
    const waiting = validator(async () => {
      await answering.promise;
      return allow();
    });
    await using served = await Served.open([waiting]);
    const series = async (name: string): Promise<string | undefined> =>
      (await served.metrics.text()).split("\n").find((line) => line.startsWith(name));
    const inFlight = `controller_runtime_webhook_requests_in_flight{webhook="${path}"}`;

    const asking = served.send(post);
    await eventually(async () => (await series(inFlight)) === `${inFlight} 1`);
    answering.resolve();
    await asking;
    await served.send({ ...post, body: "{" });

    const total = "controller_runtime_webhook_requests_total";
    await eventually(async () => (await series(inFlight)) === `${inFlight} 0`);
    expect(await series(`${total}{webhook="${path}",code="200"}`)).to.match(/ 1$/);
    expect(await series(`${total}{webhook="${path}",code="400"}`)).to.match(/ 1$/);
    const count = `controller_runtime_webhook_latency_seconds_count{webhook="${path}"}`;
    expect(await series(count)).to.equal(`${count} 2`);
  });

  it("works on a bounded number at once and lets the others wait", async () => {
    const release = Promise.withResolvers<void>();
    let inWork = 0;
    let most = 0;
    const counting = validator(async () => {
      most = Math.max(most, ++inWork);
      await release.promise;
      inWork--;
      return allow();
    });
    await using served = await Served.open([counting], { slots: 3 });
    const inFlight = `controller_runtime_webhook_requests_in_flight{webhook="${path}"}`;

    const asking = Promise.all(Array.from({ length: 20 }, () => served.send(post)));
    await eventually(async () => (await served.metrics.text()).includes(`${inFlight} 20`));
    await eventually(() => inWork === 3);
    release.resolve();

    expect((await asking).map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    expect(most).to.equal(3);
  });

  it("tells who waits in vain for a turn", async () => {
    const started = Promise.withResolvers<void>();
    const stuck = validator(async (_, { signal }) => {
      started.resolve();
      await aborted(signal);
      return allow();
    });
    await using served = await Served.open([stuck], { slots: 1 });
    const first = served.send({ ...post, path: `${path}?timeout=500ms` });
    await started.promise;

    const second = await served.send({ ...post, path: `${path}?timeout=100ms` });

    expect(second.status).to.equal(500);
    expect(second.body).to.equal("no answer within 90 ms: waiting for its turn");
    expect((await first).body).to.contain("waiting for the handler");
  });

  it("answers what is in work when it closes, and takes nothing new", async () => {
    const started = Promise.withResolvers<void>();
    const answering = Promise.withResolvers<void>();
    const waiting = validator(async () => {
      started.resolve();
      await answering.promise;
      return allow();
    });
    const served = await Served.open([waiting]);
    const asking = served.send(post);
    await started.promise;

    const closing = served.listener.close(1000);
    const refused = await served.send(post).catch((error) => error);
    answering.resolve();

    expect((await asking).status).to.equal(200);
    expect((await asking).headers.connection).to.equal("close");
    expect(refused.code).to.equal("ECONNREFUSED");
    await closing;
  });

  it("closes within its grace, whatever hangs: handlers, connections, handshakes", async () => {
    const served = await Served.open([validator(() => new Promise(() => undefined))]);
    const asking = served.send(post).catch((error: Error) => error);
    const silent = connectTcp(served.port, "127.0.0.1");
    const idle = connectTls({ port: served.port, host: "127.0.0.1", rejectUnauthorized: false });
    silent.on("error", () => undefined);
    idle.on("error", () => undefined);
    await Promise.all([once(silent, "connect"), once(idle, "secureConnect")]);
    const begin = performance.now();

    await served.listener.close(50);

    expect(performance.now() - begin).to.be.below(1000);
    expect(await asking).to.be.instanceOf(Error);
  });

  it("gives new connections a new certificate, and leaves those that it has", async () => {
    await using served = await Served.open([validator()]);
    const connection = connectTls({
      ...{ port: served.port, host: "127.0.0.1", rejectUnauthorized: false },
    });
    await once(connection, "secureConnect");
    const names = async (): Promise<string> => {
      const other = connectTls({ port: served.port, host: "127.0.0.1", rejectUnauthorized: false });
      await once(other, "secureConnect");
      const { subjectaltname = "" } = other.getPeerCertificate();
      other.destroy();
      return subjectaltname;
    };
    const before = await names();

    served.listener.present(await served.otherPair());

    expect([before, await names()]).to.deep.equal([
      "IP Address:127.0.0.1",
      "IP Address:127.0.0.1, DNS:other",
    ]);
    connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [answer] = await once(connection, "data");
    expect(String(answer)).to.match(/^HTTP\/1.1 405 /);
    connection.destroy();
  });

  it("speaks no TLS before 1.2", async () => {
    await using served = await Served.open([validator()]);
    const old = connectTls({
      ...{ port: served.port, host: "127.0.0.1", rejectUnauthorized: false },
      ...{ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
    });

    const [error] = await once(old, "error");

    expect(String(error)).to.match(/protocol version|unsupported protocol|alert/i);
  });

  it("answers reviews of the largest objects", async () => {
    await using served = await Served.open([validator()]);
    const half = aWidget({ text: "x".repeat(3_000_000) });
    const body = bytesOf(aReview(aRequest({ operation: "UPDATE", object: half, oldObject: half })));

    expect((await served.send({ path, body })).status).to.equal(200);
  });

  it("says which address it cannot have", async () => {
    await using served = await Served.open([]);

    const error = await Served.open([], { port: served.port }).catch((e: Error) => e);

    expect(String(error)).to.match(/cannot serve webhooks on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
  });
});

describe("a stream of malformed reviews", () => {
  it("gets an answer each, and harms nobody", async function () {
    this.timeout(20_000);
    const seed = Number(process.env.SEED ?? 20_261_121);
    const random = seededRandom(seed);
    await using served = await Served.open([
      validator(({ object }) => (object ? allow() : deny(400, "x"))),
    ]);

    for (let round = 0; round < 300; round++) {
      const answer: Received = await served.send({ path, body: damaged(random) });
      expect([200, 400], `seed ${seed}, round ${round}: ${answer.body}`).to.include(answer.status);
      if (answer.status === 200) expect(JSON.parse(answer.body).response.uid).to.be.a("string");
    }

    expect((await served.send(post)).status).to.equal(200);
    expect(served.log.messages("a webhook failed")).to.deep.equal([]);
  });

  const post = { path, body: review };

  /** A review with bytes flipped or cut, or with a value somewhere replaced. */
  function damaged(random: ReturnType<typeof seededRandom>): Uint8Array {
    const bytes = Buffer.from(review);
    if (random.chance(0.3)) return bytes.subarray(0, random.below(bytes.length));
    if (random.chance(0.4)) {
      for (let flips = random.below(5); flips >= 0; flips--) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      return bytes;
    }
    const odd = [null, 1, "", [], {}, "x", true, [null], { a: null }, -0, 1e308];
    let at = 0;
    const victim = random.below(60);
    return bytesOf(
      JSON.parse(review.toString(), (_, value) =>
        at++ === victim ? odd[random.below(odd.length)] : value,
      ),
    );
  }
});
