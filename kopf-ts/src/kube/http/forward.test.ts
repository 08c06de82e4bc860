import { expect } from "chai";
import type { ForwardingClient, ForwardRequest, RawStream, UpgradedConnection } from "../client.ts";
import type { CredentialSource } from "../config/credentials.ts";
import { connect } from "../connect.ts";
import { ApiError } from "../errors.ts";
import {
  deadPort,
  json,
  loopback,
  rejection,
  tcpLoopback,
  until,
} from "../loopback.test.support.ts";

const get: ForwardRequest = { method: "GET", path: "/api/v1/pods?limit=1", rawHeaders: [] };

const clientOf = (url: string, credentials: CredentialSource | object = {}): ForwardingClient =>
  connect({ server: url, credentials });

const textOf = async (stream: RawStream): Promise<string> => {
  let text = "";
  await stream.pipe((chunk) => {
    text += chunk;
  });
  return text;
};

async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const isUpgraded = (answer: RawStream | UpgradedConnection): answer is UpgradedConnection =>
  "socket" in answer;

describe("forwarded requests", () => {
  it("arrive as they are, but for who asks and what belongs to the connection", async () => {
    await using server = await loopback((response) => json(response, {}));
    await using client = clientOf(server.url, { token: "ours" });
    const rawHeaders = [
      ...["Accept", "text/plain", "X-Twice", "a", "x-twice", "b", "User-Agent", "kubectl/v1"],
      ...["Authorization", "Bearer theirs", "Impersonate-User", "root", "impersonate-group", "g"],
      ...["Impersonate-Extra-x", "y", "X-Remote-User", "root", "Proxy-Authorization", "x"],
      ...["Host", "evil", "Connection", "keep-alive, X-Hop", "X-Hop", "1", "Keep-Alive", "x"],
      ...["TE", "trailers", "Transfer-Encoding", "chunked", "Upgrade", "h2c", "Expect", "x"],
      ...["Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.eA"],
    ];

    const jane = client.as({ user: "jane", groups: ["dev", "ops"] });
    await textOf(await jane.forward({ ...get, rawHeaders }));

    const [seen] = server.seen;
    expect(seen?.path).to.equal(get.path);
    expect(seen?.headers).to.deep.equal({
      ...{ host: `127.0.0.1:${server.port}`, connection: "keep-alive" },
      ...{ accept: "text/plain", "x-twice": "a, b", "user-agent": "kubectl/v1" },
      ...{ "impersonate-user": "jane", "impersonate-group": "dev, ops" },
      authorization: "Bearer ours",
    });
  });

  it("stream bodies of a known and of an unknown length", async () => {
    await using server = await loopback((response) => json(response, {}));
    await using client = clientOf(server.url);
    const post = { ...get, method: "POST" };

    await textOf(
      await client.forward({
        ...post,
        rawHeaders: ["Content-Length", "4"],
        body: chunks("ab", "cd"),
      }),
    );
    await textOf(await client.forward({ ...post, body: chunks("ab", "cd") }));

    expect(server.seen.map(({ body }) => body)).to.deep.equal(["abcd", "abcd"]);
    expect(server.seen[0]?.headers).to.include({ "content-length": "4" });
    expect(server.seen[1]?.headers).to.include({ "transfer-encoding": "chunked" });
  });

  it("are answered whatever the status is, with any method, and once", async () => {
    await using server = await loopback((response, { path }) =>
      json(response, { said: path }, Number(path.slice(1)), { "retry-after": "0" }),
    );
    await using client = clientOf(server.url);

    for (const status of [200, 403, 404, 429, 500, 503]) {
      const answer = await client.forward({ ...get, path: `/${status}` });
      expect(answer.status).to.equal(status);
      expect(await textOf(answer)).to.equal(JSON.stringify({ said: `/${status}` }));
    }
    for (const method of ["OPTIONS", "DELETE", "PROPFIND"]) {
      const answer = await client.forward({ ...get, method, path: "/201" });
      expect(await textOf(answer)).to.equal('{"said":"/201"}');
    }
    expect(server.seen).to.have.length(9);
  });

  for (const { name, request } of [
    { name: "CONNECT", request: { ...get, method: "CONNECT" } },
    { name: "a path without a slash", request: { ...get, path: "api" } },
    { name: "a path with a space", request: { ...get, path: "/a b" } },
    { name: "a method that is none", request: { ...get, method: "GE T" } },
    { name: "an authorization for somebody impersonated", request: { ...get, authorization: "x" } },
  ]) {
    it(`are refused with ${name}`, async () => {
      await using server = await loopback((response) => json(response, {}));
      await using client = clientOf(server.url);

      const thrown = await rejection(client.as({ user: "jane" }).forward(request));

      expect(thrown).to.be.instanceOf(ApiError).that.includes({ code: 0, reason: "BadRequest" });
      expect(server.seen).to.have.length(0);
    });
  }

  it("carry the caller's own authorization in place of ours", async () => {
    await using server = await loopback((response) => json(response, {}));
    await using client = clientOf(server.url, { token: "ours" });

    await textOf(await client.forward({ ...get, authorization: "Bearer theirs" }));
    await textOf(await client.forward(get));

    expect(server.seen.map(({ headers }) => headers.authorization)).to.deep.equal([
      ...["Bearer theirs", "Bearer ours"],
    ]);
    expect(server.seen[0]?.connection).to.not.equal(server.seen[1]?.connection);
  });

  it("go again, without a body, when our credentials turn out to be old; 401 of others is passed on", async () => {
    let token = 0;
    const source: CredentialSource = async ({ force }) => {
      if (force) token += 1;
      return { token: `t${token}` };
    };
    await using server = await loopback((response, { headers, path }) =>
      json(response, {}, headers.authorization === "Bearer t0" || path === "/x" ? 401 : 200),
    );
    await using client = clientOf(server.url, source);

    expect((await client.forward(get)).status).to.equal(200);
    expect((await client.forward({ ...get, authorization: "Bearer t0" })).status).to.equal(401);
    expect((await client.forward({ ...get, path: "/a/proxy/x" })).status).to.equal(200);
    expect(token).to.equal(1);
  });

  it("with a body tell that they were not carried out when our credentials turn out to be old", async () => {
    let token = 0;
    const source: CredentialSource = async ({ force }) => ({
      token: `t${force ? ++token : token}`,
    });
    await using server = await loopback((response, { headers }) =>
      json(response, {}, headers.authorization === "Bearer t0" ? 401 : 200),
    );
    await using client = clientOf(server.url, source);
    const post = (): ForwardRequest => ({ ...get, method: "POST", body: chunks("a") });

    const thrown = await rejection(client.forward(post()));

    expect(thrown)
      .to.be.instanceOf(ApiError)
      .that.includes({ reason: "NoCredentials", unsent: true });
    expect((await client.forward(post())).status).to.equal(200);
  });

  it("pass a 401 on where new credentials cannot be read", async () => {
    const source: CredentialSource = async ({ force }) => {
      if (force) throw new Error("no plug-in");
      return { token: "old" };
    };
    await using server = await loopback((response) => json(response, { no: true }, 401));
    await using client = clientOf(server.url, source);

    const answer = await client.forward(get);

    expect([answer.status, await textOf(answer)]).to.deep.equal([401, '{"no":true}']);
  });

  it("are not sent where there are no credentials", async () => {
    await using server = await loopback((response) => json(response, {}));
    await using client = clientOf(server.url, () => Promise.reject(new Error("no plug-in")));

    const thrown = await rejection(client.forward(get));

    expect(thrown).to.include({ code: 0, reason: "NoCredentials", unsent: true });
    expect(server.seen).to.have.length(0);
  });

  it("tell whether they were surely not carried out", async () => {
    await using refusing = clientOf(`http://127.0.0.1:${await deadPort()}`);
    await using cutting = await tcpLoopback((socket) => {
      socket.once("data", () => socket.destroy());
    });
    await using cut = clientOf(cutting.url);

    const unsent = await rejection(refusing.forward({ ...get, method: "POST" }));
    const lost = await rejection(cut.forward({ ...get, method: "POST" }));

    expect(unsent).to.include({ code: 0, reason: "Unreachable", unsent: true });
    expect(lost).to.include({ code: 0, reason: "Unreachable", unsent: false });
    expect(cutting.connections()).to.equal(1);
  });

  it("are sent again once if they read, and a kept connection is lost", async () => {
    await using server = await loopback((response, _, index) => {
      if (index === 1) response.destroy();
      else json(response, { index });
    });
    await using client = clientOf(server.url);
    await textOf(await client.forward(get));

    expect(await textOf(await client.forward(get))).to.equal('{"index":2}');
  });

  it("end with their signal, before the answer and while it comes", async () => {
    await using server = await loopback((response, { path }) => {
      if (path === "/half") response.write("half");
    });
    await using client = clientOf(server.url);
    const waiting = new AbortController();
    const reading = new AbortController();

    const none = rejection(client.forward({ ...get, path: "/none", signal: waiting.signal }));
    await until(() => server.seen.length === 1);
    waiting.abort("gone");
    const answer = await client.forward({ ...get, path: "/half", signal: reading.signal });
    const half = rejection(textOf(answer));
    reading.abort("gone too");

    expect([await none, await half]).to.deep.equal(["gone", "gone too"]);
    await until(() => server.open() === 0);
  });

  it("end when the client is disposed", async () => {
    await using server = await loopback((response) => void response.write("half"));
    const client = clientOf(server.url);
    const half = rejection(textOf(await client.forward(get)));

    await client[Symbol.asyncDispose]();

    expect(await half).to.include({ reason: "Closed" });
    expect(await rejection(client.forward(get))).to.include({ reason: "Closed" });
  });

  it("never take the places of calls", async () => {
    await using server = await loopback((response, { path }) => {
      if (path.includes("pods")) response.write("open");
      else json(response, {});
    });
    await using client = connect({ server: server.url }, { maxConnections: 1 });

    for (let open = 0; open < 3; open += 1) await client.forward(get);

    expect((await client.request({ method: "GET", path: "/x" })).status).to.equal(200);
  });
});

describe("forwarded upgrades", () => {
  /** A server that echoes behind its 101, and greets. */
  const echo = (seen: string[]) =>
    tcpLoopback((socket) => {
      let text = "";
      socket.on("data", function head(chunk: Buffer) {
        text += chunk.toString("latin1");
        if (!text.includes("\r\n\r\n")) return;
        socket.off("data", head);
        seen.push(text);
        socket.write(
          "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-V: 4\r\n\r\nhi ",
        );
        socket.pipe(socket);
      });
    });

  it("give the raw connection, with what came behind the answer", async () => {
    const seen: string[] = [];
    await using server = await echo(seen);
    await using client = clientOf(server.url, { token: "ours" });
    const rawHeaders = ["Connection", "Upgrade", "Upgrade", "SPDY/3.1", "X-Stream", "v4"];

    const answer = await client
      .as({ user: "jane" })
      .forwardUpgrade({ ...get, method: "POST", rawHeaders }, "SPDY/3.1");
    if (!isUpgraded(answer)) throw new Error("not upgraded");
    let text = "";
    answer.socket.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    answer.socket.write("there");
    await until(() => text === "hi there");

    expect(answer).to.deep.include({ status: 101 });
    expect(answer.headers).to.include({ upgrade: "SPDY/3.1", "x-v": "4" });
    expect(seen[0]?.toLowerCase())
      .to.match(/^post \/api\/v1\/pods\?limit=1 http\/1.1\r\n/)
      .and.contain("\r\nconnection: upgrade\r\nupgrade: spdy/3.1\r\n")
      .and.contain("\r\nimpersonate-user: jane\r\n")
      .and.contain("\r\nauthorization: bearer ours\r\n")
      .and.contain("\r\nx-stream: v4\r\n");
  });

  it("give the answer of a server that refuses", async () => {
    await using server = await loopback((response) => json(response, { no: true }, 403));
    await using client = clientOf(server.url);

    const answer = await client.forwardUpgrade(get, "websocket");

    if (isUpgraded(answer)) throw new Error("upgraded");
    expect([answer.status, await textOf(answer)]).to.deep.equal([403, '{"no":true}']);
  });

  it("end their connections when the client is disposed", async () => {
    await using server = await echo([]);
    const client = clientOf(server.url);
    const answer = await client.forwardUpgrade(get, "SPDY/3.1");
    if (!isUpgraded(answer)) throw new Error("not upgraded");
    const closed = new Promise((resolve) => answer.socket.once("close", resolve));

    await client[Symbol.asyncDispose]();

    await closed;
    await until(() => server.open() === 0);
  });

  it("leave no connection behind when their signal aborts before the answer", async () => {
    const sockets: unknown[] = [];
    await using server = await tcpLoopback((socket) => void sockets.push(socket.resume()));
    await using client = clientOf(server.url);
    const gone = new AbortController();

    const failed = rejection(client.forwardUpgrade({ ...get, signal: gone.signal }, "websocket"));
    await until(() => sockets.length === 1);
    gone.abort("gone");

    expect(await failed).to.equal("gone");
    await until(() => server.open() === 0);
  });
});
