import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Client, RawStream } from "../client.ts";
import type { ApiError } from "../errors.ts";
import {
  clientOf,
  fail,
  loopback,
  rejection,
  type Script,
  until,
} from "../loopback.test.support.ts";

const path = "/api/v1/configmaps?watch=1";
const open = (client: Client, signal?: AbortSignal): Promise<RawStream> =>
  client.stream({ method: "GET", path, ...(signal && { signal }) });

/** Writes the pieces one by one, each in a packet of its own, then ends. */
const pieces =
  (...texts: readonly string[]): Script =>
  async (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (const text of texts) {
      response.write(text);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  };

const endless: Script = (response) => {
  response.writeHead(200);
  response.write("first");
};

/** Writes without end, as fast as it is let, and tells how much. */
const flood =
  (onWritten: (bytes: number) => void): Script =>
  (response) => {
    const more = (): void => {
      if (response.destroyed) return;
      onWritten(65_536);
      if (response.write(Buffer.alloc(65_536))) setImmediate(more);
    };
    response.on("drain", more);
    more();
  };

/** Reads a stream to its end; `onText` gets all that came so far with each chunk. */
type Read = (stream: RawStream, onText?: (text: string) => void) => Promise<string>;

const readAll: Read = async (stream, onText) => {
  let text = "";
  for await (const chunk of stream.body) {
    text += chunk;
    onText?.(text);
  }
  return text;
};

const pipeAll: Read = async (stream, onText) => {
  let text = "";
  await stream.pipe((chunk) => {
    text += chunk;
    onText?.(text);
  });
  return text;
};

/** Gives everything that can happen in this process its turn, many times over: each call goes to the server and back. */
async function roundTrips(client: Client): Promise<void> {
  for (let trip = 0; trip < 20; trip++) await client.request({ method: "GET", path: "/trip" });
}

/** Waits until a number no longer changes, whatever else goes on; fails when it never stops. */
async function standsStill(client: Client, count: () => number): Promise<void> {
  const end = performance.now() + 1_500;
  for (let before = -1; before !== count(); ) {
    expect(performance.now(), "it goes on and on").to.be.lessThan(end);
    before = count();
    await roundTrips(client);
  }
}

/** Does what the script says, but answers the requests of `roundTrips` at once. */
const besidesTrips =
  (script: Script): Script =>
  (response, request, index) =>
    request.path === "/trip" ? void response.end("{}") : script(response, request, index);

for (const [form, read] of [
  ["body", readAll],
  ["pipe", pipeAll],
] as const) {
  describe(`a stream read with ${form}`, () => {
    it("gives what was sent, in order", async () => {
      await using server = await loopback(pieces("a", "b", "c"));
      await using client = clientOf(server);
      const stream = await open(client);

      expect(stream.status).to.equal(200);
      expect(stream.headers["content-type"]).to.equal("application/json");
      expect(await read(stream)).to.equal("abc");
    });

    it("gives an answer that was complete before anybody read", async () => {
      let sent = false;
      const whole: Script = (response) =>
        void response.end("abc", () => {
          sent = true;
        });
      await using server = await loopback(besidesTrips(whole));
      await using client = clientOf(server);
      const stream = await open(client);
      await until(() => sent);
      await roundTrips(client);

      expect(await read(stream)).to.equal("abc");
    });

    it("gives an empty answer", async () => {
      await using server = await loopback(pieces());
      await using client = clientOf(server);

      expect(await read(await open(client))).to.equal("");
    });

    it("gives what came before the answer broke off, then fails", async () => {
      await using server = await loopback((response) => {
        response.writeHead(200);
        response.write("abc", () => setTimeout(() => response.socket?.destroy(), 20));
      });
      await using client = clientOf(server);
      const stream = await open(client);
      let seen = "";

      const error = (await rejection(
        form === "pipe"
          ? stream.pipe((chunk) => {
              seen += chunk;
            })
          : (async () => {
              for await (const chunk of stream.body) seen += chunk;
            })(),
      )) as ApiError;

      expect(seen).to.equal("abc");
      expect(error).to.include({ code: 0, reason: "Unreachable", path });
      expect(error.message).to.contain("broke the connection while we were reading the answer");
    });

    it("fails with the reason of its signal", async () => {
      await using server = await loopback(endless);
      await using client = clientOf(server);
      const controller = new AbortController();
      const stream = await open(client, controller.signal);
      const reason = new Error("enough");

      const failed = rejection(read(stream));
      controller.abort(reason);

      expect(await failed).to.equal(reason);
      await until(() => server.open() === 0);
    });

    it("ends quietly when it is closed", async () => {
      await using server = await loopback(endless);
      await using client = clientOf(server);
      const stream = await open(client);

      const first = Promise.withResolvers<string>();
      const reading = read(stream, first.resolve);
      await first.promise;
      stream.close();

      expect(await reading).to.equal("first");
      await until(() => server.open() === 0);
    });

    it("is read once", async () => {
      await using server = await loopback(pieces("abc"));
      await using client = clientOf(server);
      const stream = await open(client);
      await read(stream);

      expect(await rejection(read(stream))).to.match(/already being read/);
    });

    it("has no time limit once its head has come", async () => {
      await using server = await loopback(async (response) => {
        response.writeHead(200).flushHeaders();
        setTimeout(() => response.end("late"), 800);
      });
      await using client = clientOf(server);
      const stream = await client.stream({ method: "GET", path, timeout: 500 });

      expect(await read(stream)).to.equal("late");
    });

    it("gives megabytes unchanged", async () => {
      const sent = randomBytes(5_000_000).toString("base64");
      await using server = await loopback((response) => void response.end(sent));
      await using client = clientOf(server);

      expect((await read(await open(client))) === sent).to.equal(true);
    });
  });
}

describe("a stream", () => {
  it("is closed by leaving the loop", async () => {
    await using server = await loopback(endless);
    await using client = clientOf(server);

    for await (const chunk of (await open(client)).body) {
      expect(String(chunk)).to.equal("first");
      break;
    }

    await until(() => server.open() === 0);
  });

  it("is closed by an exception of the callback, and passes it on", async () => {
    await using server = await loopback(endless);
    await using client = clientOf(server);
    const stream = await open(client);
    const fault = new Error("mine");

    const thrown = await rejection(
      stream.pipe(() => {
        throw fault;
      }),
    );

    expect(thrown).to.equal(fault);
    await until(() => server.open() === 0);
  });

  it("calls back no more once it was closed from within", async () => {
    await using server = await loopback((response) => void response.end("x".repeat(1_000_000)));
    await using client = clientOf(server);
    const stream = await open(client);
    let calls = 0;

    await stream.pipe(() => {
      calls++;
      stream.close();
    });

    expect(calls).to.equal(1);
  });

  it("holds the server back while it is paused", async () => {
    let written = 0;
    await using server = await loopback(
      besidesTrips(
        flood((bytes) => {
          written += bytes;
        }),
      ),
    );
    await using client = clientOf(server);
    const stream = await open(client);
    let read = 0;
    const reading = stream.pipe((chunk) => {
      read += chunk.length;
      if (read < 1_000_000) return;
      stream.pause();
    });
    await until(() => read >= 1_000_000);

    await standsStill(client, () => written);
    const held = read;
    await roundTrips(client);
    expect(read).to.equal(held);

    stream.resume();
    await until(() => read > held);
    stream.close();
    await reading;
  });

  it("holds the server back while a loop is slow, and while nobody reads", async () => {
    let written = 0;
    await using server = await loopback(
      besidesTrips(
        flood((bytes) => {
          written += bytes;
        }),
      ),
    );
    await using client = clientOf(server);
    const stream = await open(client);
    await standsStill(client, () => written);

    let read = 0;
    for await (const chunk of stream.body) {
      read += chunk.length;
      if (read < 3_000_000) continue; // more than what came while nobody read
      await standsStill(client, () => written);
      break;
    }
  });

  it("throws what a server refuses, with its Status", async () => {
    await using server = await loopback((response) => fail(response, 410, "Expired"));
    await using client = clientOf(server);

    expect(await rejection(open(client))).to.include({ code: 410, reason: "Expired" });
  });

  it("begins behind early hints", async () => {
    await using server = await loopback((response, request, index) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" });
      return pieces("abc")(response, request, index);
    });
    await using client = clientOf(server);
    const stream = await open(client);

    expect(stream.status).to.equal(200);
    expect(await readAll(stream)).to.equal("abc");
  });

  it("comes again after a 429", async () => {
    await using server = await loopback((response, request, index) =>
      index === 0
        ? fail(response, 429, "TooManyRequests")
        : pieces("abc")(response, request, index),
    );
    await using client = clientOf(server);

    expect(await readAll(await open(client))).to.equal("abc");
  });

  it("fails with the signal's reason when that aborts right behind the head", async () => {
    await using server = await loopback(endless);
    await using client = clientOf(server);
    const controller = new AbortController();

    const stream = await open(client, controller.signal);
    controller.abort("enough");

    expect(await rejection(readAll(stream))).to.equal("enough");
  });
});
