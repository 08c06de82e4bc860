import { expect } from "chai";
import type { Dispatcher } from "undici";
import type { Client, RequestOptions } from "../client.ts";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  loopback,
  rejection,
  until,
} from "../loopback.test.support.ts";
import { Exchange, LONGEST_ANSWER, LONGEST_ERROR } from "./exchange.ts";

/** An exchange that was asked and answered with this status, and why its connection was aborted. */
function answered(status: number, limit?: number) {
  const aborts: Error[] = [];
  const controller = {
    abort: (reason: Error) => void aborts.push(reason),
  } as unknown as Dispatcher.DispatchController; // what an exchange uses of it
  const exchange = new Exchange(false, undefined, limit);
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, status, {});
  const push = (chunk: Buffer): void => exchange.onResponseData(controller, chunk);
  return { exchange, push, aborts };
}

describe("an answer that is too long", () => {
  const chunk = Buffer.alloc(1 << 20, " "); // the same again and again, so that it costs nothing

  it("fails behind 256 MiB and ends its connection", async () => {
    const { exchange, push, aborts } = answered(200);
    const failed = rejection(exchange.answer);

    for (let length = 0; length < LONGEST_ANSWER; length += chunk.length) push(chunk);
    expect(aborts).to.deep.equal([]);
    push(Buffer.from("x"));

    expect(aborts).to.have.length(1);
    expect(await failed).to.include({ name: "TooLong", message: "more than 256 MiB" });
  });

  it("is cut when it tells of an error, which stays what it is", async () => {
    const { exchange, push, aborts } = answered(403);

    push(Buffer.alloc(LONGEST_ERROR, "y"));
    expect(aborts).to.deep.equal([]);
    push(Buffer.from("z"));

    const { status, body } = await exchange.answer;
    expect(status).to.equal(403);
    expect(body.length).to.equal(LONGEST_ERROR + 1);
    expect(aborts).to.have.length(1);
  });

  for (const { limit, message } of [
    { limit: 3 << 10, message: "more than 3 KiB" },
    { limit: 5, message: "more than 5 bytes" },
  ]) {
    it(`fails behind what its call allows: ${message}`, async () => {
      const { exchange, push, aborts } = answered(200, limit);
      const failed = rejection(exchange.answer);

      push(Buffer.alloc(limit, "y"));
      expect(aborts).to.deep.equal([]);
      push(Buffer.from("z"));

      expect(aborts).to.have.length(1);
      expect(await failed).to.include({ name: "TooLong", message });
    });
  }

  it("has no longer limit than its own", async () => {
    const { exchange, push, aborts } = answered(200, Number.POSITIVE_INFINITY);
    const failed = rejection(exchange.answer);

    for (let length = 0; length <= LONGEST_ANSWER; length += chunk.length) push(chunk);

    expect(aborts).to.have.length(1);
    expect(await failed).to.include({ name: "TooLong" });
  });

  for (const { name, ask } of [
    {
      name: "a request",
      ask: (client: Client, options: RequestOptions) =>
        client.request({ method: "GET", path: "/x", ...options }),
    },
    {
      name: "a get",
      ask: (client: Client, options: RequestOptions) =>
        client.get(ConfigMap, "a", { namespace: "default", ...options }),
    },
    {
      name: "a write",
      ask: (client: Client, options: RequestOptions) => client.update(aConfigMap(), options),
    },
  ]) {
    it(`that never ends fails ${name} behind what it allows, and closes the connection`, async () => {
      let sent = 0;
      await using server = await loopback((response) => {
        const more = (): void => {
          let room = !response.destroyed;
          while (room) {
            room = response.write(chunk) && !response.destroyed;
            sent += chunk.length;
          }
          if (!response.destroyed) response.once("drain", more);
        };
        more();
      });
      await using client = clientOf(server);

      const error = await rejection(ask(client, { answerLimit: 64 << 10 }));

      expect(error).to.include({ code: 0, reason: "BadAnswer" });
      expect(error)
        .to.have.property("message")
        .that.contains("answered more than 64 KiB; an API server says less");
      await until(() => server.open() === 0);
      expect(server.seen).to.have.length(1); // nor is it asked again
      expect(sent).to.be.below(64 << 20); // what buffers on the way hold
    });
  }

  it("that tells of an error and never ends is a failed call and a closed connection", async () => {
    await using server = await loopback((response) => {
      response.writeHead(403);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    await using client = clientOf(server);

    const error = await rejection(client.request({ method: "GET", path: "/x" }));

    expect(error).to.include({ code: 403, reason: "Forbidden" });
    await until(() => server.open() === 0);
  });
});
