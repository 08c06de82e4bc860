import { expect } from "chai";
import { systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { readBody } from "../body.ts";
import { type Exchange, send } from "../stage.ts";
import { loudLogger } from "../v1/subscribe/loud-logger.test.support.ts";
import { type ServingCertificate, selfSigned } from "./certificate.ts";
import { type Listener, listen } from "./index.ts";
import { Raw } from "./testing/raw.ts";

describe("a client that closes its half of the connection", () => {
  let certificate: ServingCertificate;
  let listener: Listener;
  let loud: readonly string[];
  before(async () => {
    certificate = await selfSigned(["localhost"], Date.now());
  });
  afterEach(() => listener.close(0));

  async function serve(handle: (exchange: Exchange) => Promise<void>): Promise<void> {
    const { log, ...told } = loudLogger();
    loud = told.loud;
    listener = await listen({ httpsPort: 0, certificate, handle, clock: systemClock, log });
  }

  /** Sends the lines of a request, an empty one and some of a body, and closes. */
  function sent(lines: readonly string[], body = ""): Raw {
    const raw = new Raw(listener, certificate.cert);
    raw.socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
    return raw;
  }

  /** Nobody is in work and no connection is open: else it would wait out its grace. */
  async function expectNothingLeft(): Promise<void> {
    await listener.close(600_000);
    expect(loud).to.deep.equal([]);
  }

  it("has gone: what is done for a whole request is ended, and nothing is left of it", async () => {
    const signals: AbortSignal[] = [];
    await serve(async ({ signal }) => {
      signals.push(signal);
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    });

    const text = await sent(["GET / HTTP/1.1", "Host: x"]).ended;

    expect(text).to.equal("");
    await eventually(() => signals[0]?.aborted === true);
    expect(signals).to.have.length(1);
    await expectNothingLeft();
  });

  it("has gone: an answer that comes all the same harms nobody", async () => {
    const released = Promise.withResolvers<void>();
    let answered = 0;
    await serve(async ({ response }) => {
      await released.promise;
      send(response, 200, "late", "text/plain");
      answered++;
    });

    const text = await sent(["GET / HTTP/1.1", "Host: x"]).ended;
    released.resolve();

    expect(text).to.equal("");
    await eventually(() => answered === 1);
    await expectNothingLeft();
  });

  it("has gone: a body that is not whole is not waited for", async () => {
    const thrown: unknown[] = [];
    await serve(async (exchange) => {
      await readBody(exchange, 100).catch((error: unknown) => {
        thrown.push(error);
        throw error;
      });
    });

    await sent(["POST / HTTP/1.1", "Host: x", "Content-Length: 9"], "abc").ended;

    await eventually(() => thrown.length === 1);
    expect(String(thrown[0])).to.contain("it broke off");
    await expectNothingLeft();
  });
});
