import { getEventListeners } from "node:events";
import { expect } from "chai";
import type { Client } from "../client.ts";
import { connect } from "../connect.ts";
import { ApiError } from "../errors.ts";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  deadPort,
  fail,
  fastForward,
  json,
  type Loopback,
  loopback,
  ManualClock,
  rejection,
  type Script,
  tcpLoopback,
  until,
} from "../loopback.test.support.ts";

const here = { namespace: "default" };

/** Answers what the list says, one after the other, then a ConfigMap. */
function answers(...scripts: readonly Script[]): Script {
  return (response, request, index) => {
    const script = scripts[index] ?? ((each) => json(each, aConfigMap()));
    return script(response, request, index);
  };
}

const get = (client: Client, options = {}): Promise<unknown> =>
  client.get(ConfigMap, "a", { ...here, ...options });

describe("repeated calls", () => {
  it("come back after the seconds a 429 asks for, not earlier", async () => {
    const clock = new ManualClock();
    await using server = await loopback(
      answers((response) => fail(response, 429, "TooManyRequests", { "retry-after": "7" })),
    );
    await using client = clientOf(server, { clock });

    const got = get(client);
    await until(() => clock.waiting().includes(7_000));
    clock.advance(6_999);
    expect(server.seen).to.have.length(1);
    clock.advance(1);
    await got;

    expect(server.seen).to.have.length(2);
  });

  it("come back at the date a 503 names", async () => {
    const clock = new ManualClock();
    const date = new Date(clock.now() + 4_000).toUTCString();
    await using server = await loopback(
      answers((response) => fail(response, 503, "ServiceUnavailable", { "retry-after": date })),
    );
    await using client = clientOf(server, { clock });

    const got = get(client);
    await until(() => clock.waiting().includes(4_000));
    clock.advance(4_000);

    expect(await got).to.deep.equal(aConfigMap());
  });

  it("end at once when the delay is longer than the time that is left", async () => {
    await using server = await loopback(
      answers((response) => fail(response, 429, "TooManyRequests", { "retry-after": "7" })),
    );
    await using client = clientOf(server);

    const error = await rejection(get(client, { timeout: 6_000 }));

    expect(error).to.be.instanceOf(ApiError);
    expect(error).to.include({ code: 429, retryAfter: 7_000 });
  });

  it("repeat a POST after a 429, but never after a 500", async () => {
    await using server = await loopback(
      answers(
        (response) => fail(response, 429, "TooManyRequests"),
        (response) => fail(response, 500, "InternalError"),
      ),
    );
    await using client = clientOf(server);

    const error = await rejection(client.create(aConfigMap()));

    expect(error).to.include({ code: 500 });
    expect(server.seen).to.have.length(2);
  });

  const versioned = {
    ...aConfigMap(),
    metadata: { ...aConfigMap().metadata, resourceVersion: "7" },
  };
  const own = { ...aConfigMap(), metadata: { ...aConfigMap().metadata, uid: "u" } };
  const step = { op: "test", path: "/metadata/resourceVersion", value: "7" } as const;
  const raw = { path: "/api/v1/namespaces/default/configmaps/a", body: "{}" } as const;
  const writes: readonly [string, (client: Client) => Promise<unknown>, boolean][] = [
    ["a create", (client) => client.create(aConfigMap()), false],
    ["an update with resourceVersion", (client) => client.update(versioned), true],
    ["an update without", (client) => client.update(aConfigMap()), false],
    [
      "a merge patch with resourceVersion",
      (client) => client.patch(own, { merge: versioned }),
      true,
    ],
    ["a merge patch without", (client) => client.patch(versioned, { merge: { data: {} } }), false],
    ["a JSON patch that tests it", (client) => client.patch(own, { json: [step] }), true],
    ["a JSON patch that does not", (client) => client.patch(own, { json: [] }), false],
    ["an apply", (client) => client.apply(aConfigMap(), { fieldManager: "me" }), true],
    ["a delete with a uid", (client) => client.delete(own), true],
    ["a delete by name", (client) => client.delete(aConfigMap()), false],
    [
      "a delete without preconditions",
      (client) => client.delete(own, { preconditions: "none" }),
      false,
    ],
    ["a deletecollection", (client) => client.deleteCollection(ConfigMap, here), false],
    ["a raw PUT", (client) => client.request({ method: "PUT", ...raw }), false],
    ["a raw DELETE", (client) => client.request({ method: "DELETE", ...raw }), false],
  ];

  for (const [name, write, repeated] of writes) {
    it(`${repeated ? "repeat" : "never repeat"} ${name} that was sent and not answered`, async () => {
      await using server = await loopback(answers(({ socket }) => void socket?.destroy()));
      await using client = clientOf(server);

      const outcome = await write(client).catch((thrown: unknown) => thrown);

      expect(server.seen).to.have.length(repeated ? 2 : 1);
      if (!repeated) expect(outcome).to.include({ code: 0, reason: "Unreachable" });
    });

    it(`${repeated ? "repeat" : "never repeat"} ${name} after a 500`, async () => {
      await using server = await loopback(answers((response) => fail(response, 500)));
      await using client = clientOf(server);

      await write(client).catch(() => undefined);

      expect(server.seen).to.have.length(repeated ? 2 : 1);
    });

    it(`repeat ${name} that was turned away`, async () => {
      const clock = new ManualClock();
      const busy: Script = (response) => fail(response, 503, "x", { "retry-after": "1" });
      await using server = await loopback(answers(busy));
      await using client = clientOf(server, { clock });

      const written = write(client);
      await until(() => clock.waiting().includes(1_000));
      clock.advance(1_000);
      await written;

      expect(server.seen).to.have.length(2);
    });
  }

  it("do not delete who took the name of an object that was deleted", async () => {
    let stored: string | undefined = "first";
    await using server = await loopback((response, { method }, index) => {
      if (method === "DELETE") stored = undefined;
      if (index > 0) return json(response, {});
      stored = "successor";
      response.socket?.destroy();
    });
    await using client = clientOf(server);

    const error = await rejection(client.delete(aConfigMap()));

    expect(error).to.include({ code: 0, reason: "Unreachable" });
    expect(stored).to.equal("successor");
  });

  it("survive a kept connection that the server gave up", async () => {
    await using server = await loopback((response, _request, index) => {
      if (index === 1) response.socket?.destroy();
      else json(response, aConfigMap());
    });
    await using client = clientOf(server, { maxConnections: 1 });
    await get(client);

    await get(client);

    expect(server.seen.map(({ connection }) => connection)).to.deep.equal([0, 0, 1]);
  });

  it("never repeat a POST that was lost on the way", async () => {
    await using server = await loopback((response) => void response.socket?.destroy());
    await using client = clientOf(server);

    const error = await rejection(client.create(aConfigMap()));

    expect(error).to.include({ code: 0, reason: "Unreachable" });
    expect(server.seen).to.have.length(1);
  });

  it("repeat a POST that could not be sent because nobody listened", async () => {
    const port = await deadPort();
    const clock = new ManualClock();
    await using client = clientOf({ url: `http://127.0.0.1:${port}` }, { clock });

    const created = rejection(client.create(aConfigMap()));
    const delays: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await until(() => clock.waiting().length === 2);
      delays.push(clock.waiting()[0] ?? 0);
      clock.advance(delays.at(-1) ?? 0);
    }
    const error = (await created) as ApiError;

    expect(delays.every((delay, index) => delay >= 100 * 2 ** index)).to.equal(true);
    expect(error).to.include({ code: 0, reason: "Unreachable" });
    expect(error.message).to.match(
      /^POST \/api\/v1\/namespaces\/default\/configmaps: http:\/\/127.0.0.1:\d+ cannot be reached: connect ECONNREFUSED 127.0.0.1:\d+$/,
    );
  });

  it("tell within 5 s that nobody listens", async function () {
    this.timeout(5_000);
    await using client = clientOf({ url: `http://127.0.0.1:${await deadPort()}` });

    expect(await rejection(get(client))).to.include({ code: 0, reason: "Unreachable" });
  });

  it("repeat a read whose answer broke off, and fail when it always does", async () => {
    const clock = new ManualClock();
    await using server = await loopback((response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"kind":"Conf', () => response.socket?.destroy());
    });
    await using client = clientOf(server, { clock });

    const error = (await fastForward(clock, rejection(get(client)))) as ApiError;

    expect(error).to.include({ code: 0, reason: "Unreachable" });
    expect(error.message).to.contain("broke the connection while we were reading the answer");
    expect(server.seen).to.have.length(5);
  });

  it("do not repeat what is not HTTP", async () => {
    await using server = await tcpLoopback((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    await using client = clientOf(server);

    expect(await rejection(get(client))).to.include({ code: 0, reason: "Unreachable" });
    expect(server.connections()).to.equal(1);
  });
});

describe("answers that no API server gives", () => {
  for (const { name, script, message } of [
    {
      name: "a page of HTML",
      script: (response) => void response.end("<html>hello</html>"),
      message: /answered what is not JSON; is this the address of an API server\?/,
    },
    {
      name: "JSON that is no object",
      script: (response) => void response.end("7"),
      message: /answered JSON that is no object/,
    },
    {
      name: "a redirect to a login, without its query",
      script: (response) =>
        void response.writeHead(302, { location: "https://sso/login?token=s3cret" }).end(),
      message: /answered 302 and points to https:\/\/sso\/login; is this/,
    },
  ] satisfies { name: string; script: Script; message: RegExp }[]) {
    it(`are told: ${name}`, async () => {
      await using server = await loopback(script);
      await using client = clientOf(server);

      const error = (await rejection(get(client))) as ApiError;

      expect(error).to.include({ code: 0, reason: "BadAnswer" });
      expect(error.message).to.match(message);
      expect(error.cause, "a parser's error quotes what it read").to.equal(undefined);
    });
  }
});

describe("the time of a call", () => {
  const never: Script = () => undefined;
  const halfHead = (): Promise<Loopback> =>
    tcpLoopback((socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-"));
  const halfBody: Script = (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("{");
  };
  /** Milliseconds in which a busy machine connects as well. */
  const enough = 1000;

  it("ends while the head does not come", async () => {
    await using server = await halfHead();
    await using client = clientOf(server);

    const error = (await rejection(get(client, { timeout: enough }))) as ApiError;

    expect(error).to.include({ code: 0, reason: "Timeout" });
    expect(error.message).to.match(/time is up after 1 s, waiting for the answer$/);
  });

  it("ends while the body does not come", async () => {
    await using server = await loopback(halfBody);
    await using client = clientOf(server);

    const error = (await rejection(get(client, { timeout: enough }))) as ApiError;

    expect(error.message).to.match(/reading the answer$/);
  });

  it("ends while all connections are taken", async () => {
    await using server = await loopback(never);
    await using client = clientOf(server, { maxConnections: 1 });
    const holder = new AbortController();
    const taken = rejection(get(client, { signal: holder.signal }));
    await until(() => server.seen.length === 1);

    const error = (await rejection(get(client, { timeout: 50 }))) as ApiError;

    expect(error.message).to.match(/waiting for a connection$/);
    expect(server.seen).to.have.length(1);
    holder.abort();
    await taken;
  });

  it("ends while the connection does not come about", async () => {
    await using client = clientOf(
      { url: "http://nowhere.invalid" },
      { dial: () => new Promise(() => undefined) },
    );

    const error = (await rejection(get(client, { timeout: 50 }))) as ApiError;

    expect(error.message).to.match(/waiting for a connection$/);
  });

  it("ends while credentials do not come", async () => {
    await using client = connect(
      { server: "http://127.0.0.1:1", credentials: () => new Promise(() => undefined) },
      { kinds: [ConfigMap] },
    );

    const error = (await rejection(get(client, { timeout: 50 }))) as ApiError;

    expect(error).to.include({ reason: "Timeout" });
    expect(error.message).to.match(/reading credentials$/);
  });

  it("covers all repetitions together", async () => {
    const clock = new ManualClock();
    await using server = await loopback((response) =>
      fail(response, 429, "TooManyRequests", { "retry-after": "4" }),
    );
    await using client = clientOf(server, { clock });

    const failed = rejection(get(client, { timeout: 10_000 }));
    for (let repetition = 0; repetition < 2; repetition++) {
      await until(() => clock.waiting().includes(4_000));
      clock.advance(4_000);
    }

    expect(await failed).to.include({ code: 429 });
    expect(server.seen).to.have.length(3);
  });

  for (const [name, script] of [
    ["before the head", never],
    ["in the body", halfBody],
  ] as const) {
    it(`ends with the signal's own reason: ${name}`, async () => {
      await using server = await loopback(script);
      await using client = clientOf(server);
      const controller = new AbortController();
      const reason = new Error("changed my mind");

      const failed = rejection(get(client, { signal: controller.signal }));
      await until(() => server.seen.length === 1);
      controller.abort(reason);

      expect(await failed).to.equal(reason);
      await until(() => server.open() === 0);
    });
  }

  it("ends with the signal's own reason: between repetitions", async () => {
    const clock = new ManualClock();
    await using server = await loopback((response) =>
      fail(response, 429, "TooManyRequests", { "retry-after": "4" }),
    );
    await using client = clientOf(server, { clock });
    const controller = new AbortController();

    const failed = rejection(get(client, { signal: controller.signal }));
    await until(() => clock.waiting().includes(4_000));
    controller.abort("enough");

    expect(await failed).to.equal("enough");
    expect(clock.waiting()).to.deep.equal([]);
  });

  it("sends nothing when the signal was aborted before", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using client = clientOf(server);
    await get(client);

    const failed = await rejection(get(client, { signal: AbortSignal.abort("early") }));

    expect(failed).to.equal("early");
    await get(client);
    expect(server.seen).to.have.length(2);
  });

  it("leaves no listener on a signal that many calls and streams share", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using client = clientOf(server);
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const { signal } = new AbortController();

    await Promise.all(Array.from({ length: 40 }, () => get(client, { signal })));
    const stream = await client.stream({ method: "GET", path: "/x", signal });
    await stream.pipe(() => undefined);
    await new Promise(setImmediate);

    process.off("warning", onWarning);
    expect(warnings).to.deep.equal([]);
    expect(getEventListeners(signal, "abort")).to.deep.equal([]);
  });
});

describe("connections", () => {
  it("are kept and used again", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using client = clientOf(server);

    for (let call = 0; call < 50; call++) await get(client);

    // Two, since undici frees a connection only in the turn after its answer.
    expect(server.connections()).to.be.at.most(2);
  });

  it("are as many as calls run at once, up to the limit", async () => {
    await using server = await loopback(async (response) => {
      await new Promise(setImmediate);
      json(response, aConfigMap());
    });
    await using client = clientOf(server, { maxConnections: 5 });

    await Promise.all(Array.from({ length: 100 }, () => get(client)));

    expect(server.seen).to.have.length(100);
    expect(server.connections()).to.equal(5);
  });

  it("of streams take no place of calls", async () => {
    await using server = await loopback((response, { path }) => {
      if (path.includes("watch")) response.writeHead(200).flushHeaders();
      else json(response, aConfigMap());
    });
    await using client = clientOf(server, { maxConnections: 1 });
    const request = { method: "GET", path: "/api/v1/configmaps?watch=1" } as const;

    const streams = [await client.stream(request), await client.stream(request)];

    await get(client, { timeout: 1_000 });
    for (const stream of streams) stream.close();
  });

  it("end with the client, and so do calls and streams", async () => {
    await using server = await loopback((response, { path }) => {
      if (path.includes("watch")) response.writeHead(200).flushHeaders();
    });
    const client = clientOf(server);
    const stream = await client.stream({ method: "GET", path: "/api/v1/configmaps?watch=1" });
    const reading = rejection(stream.pipe(() => undefined));
    const calling = rejection(get(client));
    await until(() => server.seen.length === 2);

    await client[Symbol.asyncDispose]();

    expect(await reading).to.include({ code: 0, reason: "Closed" });
    expect(await calling).to.include({ code: 0, reason: "Closed" });
    expect(await rejection(get(client))).to.include({ code: 0, reason: "Closed" });
    await until(() => server.open() === 0);
  });

  it("of a client made with as() outlive it", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using client = clientOf(server, { maxConnections: 1 });
    {
      await using other = client.as({ user: "bob" });
      await get(other);
    }

    await get(client);

    expect(server.connections()).to.equal(1);
  });
});

describe("metrics", () => {
  it("are told of every attempt", async () => {
    const observed: unknown[] = [];
    const metrics = {
      observe: (verb: string, code: number, resource: string, seconds: number): void => {
        expect(seconds).to.be.within(0, 2);
        observed.push([verb, code, resource]);
      },
    };
    await using server = await loopback(
      answers(
        (response) => fail(response, 503),
        (response) => void response.socket?.destroy(),
      ),
    );
    await using client = clientOf(server, { metrics });

    await get(client);
    await client.patch(aConfigMap(), { merge: {} });
    await client.delete(aConfigMap());
    await client.request({ method: "GET", path: "/apis/apps/v1/namespaces/x/deployments/a" });
    const watch = await client.stream({ method: "GET", path: "/apis/apps/v1/deployments?watch=1" });
    await watch.pipe(() => undefined);
    await client.request({ method: "GET", path: "/version" });

    expect(observed).to.deep.equal([
      ["get", 503, "configmaps"],
      ["get", 0, "configmaps"],
      ["get", 200, "configmaps"],
      ["patch", 200, "configmaps"],
      ["delete", 200, "configmaps"],
      ["get", 200, "deployments.apps"],
      ["watch", 200, "deployments.apps"],
      ["get", 200, ""],
    ]);
  });
});
