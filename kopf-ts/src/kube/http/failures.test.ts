import { expect } from "chai";
import { messageOf } from "../../base/index.ts";
import { TooLong } from "./answer.ts";
import { answerError, describeCause, lostError, timeoutError, uselessError } from "./failures.ts";

const asked = { method: "PUT", path: "/api/v1/pods", server: "https://host:6443", timeout: 30_000 };
const coded = (code: string, message = "what it said"): Error =>
  Object.assign(new Error(message), { code });
const answer = (status: number, body: string | object): { status: number; body: Buffer } => ({
  status,
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

describe("answerError", () => {
  it("carries what a Status says", () => {
    const status = {
      kind: "Status",
      message: 'pods "a" not found',
      reason: "NotFound",
      details: { retryAfterSeconds: 3 },
    };

    const error = answerError(asked, answer(404, status), undefined, []);

    expect(error).to.include({
      code: 404,
      reason: "NotFound",
      method: "PUT",
      path: "/api/v1/pods",
    });
    expect(error.message).to.equal('PUT /api/v1/pods: pods "a" not found');
    expect(error.status).to.deep.equal(status);
    expect(error.retryAfter).to.equal(3_000);
  });

  it("repeats no more of a long message than anybody reads, and keeps the Status whole", () => {
    const status = { kind: "Status", message: "x".repeat(500_000) };

    const error = answerError(asked, answer(500, status), undefined, []);

    expect(error.message).to.match(/^PUT \/api\/v1\/pods: x{2000}\.\.\.$/);
    expect(error.status?.message).to.have.length(500_000);
  });

  it("prefers the header's delay over the Status's", () => {
    const status = { kind: "Status", details: { retryAfterSeconds: 3 } };

    expect(answerError(asked, answer(429, status), 500, []).retryAfter).to.equal(500);
  });

  it("waits 5 minutes at most for what a Status asks", () => {
    const status = { kind: "Status", details: { retryAfterSeconds: 864_000 } };

    expect(answerError(asked, answer(429, status), undefined, []).retryAfter).to.equal(300_000);
  });

  for (const { name, code, body, reason, message } of [
    {
      name: "finds no Status in JSON that is broken",
      code: 500,
      body: '{"kind":"Status","message":"x"',
      reason: "InternalError",
      message:
        'PUT /api/v1/pods: https://host:6443 answered 500 InternalError: {"kind":"Status","message":"x"',
    },
    {
      name: "survives a Status whose fields are of other types",
      code: 500,
      body: '{"kind":"Status","message":{},"reason":7,"details":{"causes":{},"retryAfterSeconds":"x"}}',
      reason: "InternalError",
      message:
        'PUT /api/v1/pods: https://host:6443 answered 500 InternalError: {"kind":"Status","message":{},"reason":7,"details":{"causes":{},"retryAfterSeconds":"x"}}',
    },
    {
      name: "quotes an answer that is no Status, without its tags",
      code: 502,
      body: "<html><h1>Bad Gateway</h1>\n<hr></html>",
      reason: "BadGateway",
      message: "PUT /api/v1/pods: https://host:6443 answered 502 BadGateway: Bad Gateway",
    },
    {
      name: "says who answered when the answer is empty",
      code: 503,
      body: "",
      reason: "ServiceUnavailable",
      message: "PUT /api/v1/pods: https://host:6443 answered 503 ServiceUnavailable",
    },
    {
      name: "knows an answer from JSON that is no Status",
      code: 500,
      body: '{"kind":"Pod"}',
      reason: "InternalError",
      message: 'PUT /api/v1/pods: https://host:6443 answered 500 InternalError: {"kind":"Pod"}',
    },
    {
      name: "says who answered what is no Status, and with which code",
      code: 500,
      body: "internal boom\n",
      reason: "InternalError",
      message: "PUT /api/v1/pods: https://host:6443 answered 500 InternalError: internal boom",
    },
    {
      name: "says who answered a Status without a message",
      code: 500,
      body: '{"kind":"Status","message":""}',
      reason: "InternalError",
      message: "PUT /api/v1/pods: https://host:6443 answered 500 InternalError",
    },
    {
      name: "says that credentials were refused",
      code: 401,
      body: '{"kind":"Status","message":"Unauthorized","reason":"Unauthorized"}',
      reason: "Unauthorized",
      message:
        "PUT /api/v1/pods: https://host:6443 does not accept our credentials (401 Unauthorized)",
    },
  ]) {
    it(name, () => {
      const error = answerError(asked, answer(code, body), undefined, []);

      expect(error).to.include({ reason, message });
    });
  }

  const tokens = "/apis/management.cattle.io/v3/tokens";
  const plain = "404 page not found";
  const watch = "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&timeoutSeconds=321";
  const lost = "the server could not find the requested resource";
  for (const { name, path, body, expected } of [
    {
      name: "a watch",
      path: tokens + watch,
      body: plain,
      expected: "https://host:6443 does not serve tokens.management.cattle.io/v3",
    },
    {
      name: "an object in a namespace",
      path: "/k8s/clusters/c-1/apis/example.com/v1beta1/namespaces/a/widgets/b",
      body: `${plain}\n`,
      expected: "https://host:6443 does not serve widgets.example.com/v1beta1",
    },
    {
      name: "the core group",
      path: "/api/v1/nothings?limit=500",
      body: { kind: "Status", message: lost, reason: "NotFound", details: {} },
      expected: "https://host:6443 does not serve nothings/v1",
    },
  ]) {
    it(`says in short which kind is not served: ${name}`, () => {
      const error = answerError({ ...asked, path }, answer(404, body), undefined, []);

      expect(error).to.include({ code: 404, reason: "NotFound", path, message: expected });
    });
  }

  for (const { name, path, body } of [
    { name: "an object that does not exist", path: `${tokens}/a`, body: 'tokens "a" not found' },
    {
      name: "a service behind a proxy",
      path: "/api/v1/namespaces/a/services/b/proxy",
      body: plain,
    },
    { name: "a path outside of kinds", path: "/metrics", body: plain },
    { name: "a group", path: "/apis/management.cattle.io/v3", body: plain },
  ]) {
    it(`says what was asked for in the 404 of ${name}`, () => {
      const error = answerError({ ...asked, path }, answer(404, body), undefined, []);

      const who = `${asked.server} answered 404 NotFound`;
      expect(error.message).to.equal(`PUT ${path}: ${who}: ${body}`);
    });
  }

  it("says what is wrong with our credentials when they were refused", () => {
    const fault = "our client certificate expired on 2020-01-01T00:00:00Z; renew it";

    const error = answerError({ ...asked, fault }, answer(401, "Unauthorized"), undefined, []);

    expect(error.message).to.equal(
      `PUT /api/v1/pods: https://host:6443 does not accept our credentials (401 Unauthorized): ${fault}`,
    );
  });

  it("cuts a long answer", () => {
    const error = answerError(asked, answer(500, "x".repeat(10_000)), undefined, []);

    expect(error.message.length).to.be.lessThan(400);
  });

  it("reads a megabyte of open tags within a moment", () => {
    const body = answer(502, "<".repeat(1 << 20));
    const start = performance.now();

    answerError(asked, body, undefined, []);

    expect(performance.now() - start).to.be.lessThan(200);
  });

  it("blots out our secrets where a server echoes them", () => {
    const status = { kind: "Status", message: "no such token: s3cret", reason: "s3cret" };

    const error = answerError(asked, answer(400, status), undefined, ["s3cret"]);

    expect(JSON.stringify([error.message, error.reason, error.status])).not.to.contain("s3cret");
  });
});

describe("lostError", () => {
  for (const { name, phase = "waiting for a connection" as const, cause, reason, text } of [
    {
      name: "names the server that cannot be reached",
      cause: coded("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:6443"),
      reason: "Unreachable",
      text: "https://host:6443 cannot be reached: connect ECONNREFUSED 127.0.0.1:6443",
    },
    {
      name: "says how far it got",
      phase: "reading the answer" as const,
      cause: coded("UND_ERR_SOCKET", "other side closed"),
      reason: "Unreachable",
      text: "https://host:6443 broke the connection while we were reading the answer: other side closed",
    },
    {
      name: "tells a certificate that is not trusted",
      cause: coded("SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in certificate chain"),
      reason: "Untrusted",
      text: "the certificate of https://host:6443 is not trusted: no authority that Node knows has signed it; give the server's ca (SELF_SIGNED_CERT_IN_CHAIN)",
    },
    {
      name: "tells a certificate for another name",
      cause: coded("ERR_TLS_CERT_ALTNAME_INVALID"),
      reason: "Untrusted",
      text: "the certificate of https://host:6443 is not trusted: it is that of another host; use a name it has, or set tlsServerName: what it said (ERR_TLS_CERT_ALTNAME_INVALID)",
    },
    {
      name: "tells a request that could not be formed",
      cause: coded("UND_ERR_INVALID_ARG", "invalid x header"),
      reason: "BadRequest",
      text: "invalid x header",
    },
  ]) {
    it(name, () => {
      const error = lostError(asked, phase, cause);

      expect(error).to.include({ code: 0, reason });
      expect(error.message).to.equal(`PUT /api/v1/pods: ${text}`);
      expect(messageOf(error)).to.equal(error.message);
    });
  }
});

describe("uselessError", () => {
  for (const { name, cause, text } of [
    {
      name: "says what to do about too long an answer",
      cause: new TooLong(256 << 20),
      text: "https://host:6443 answered more than 256 MiB; ask for pages, or for a stream",
    },
    {
      name: "says what to look at where a call knows how long an answer is",
      cause: new TooLong(64 << 10),
      text: "https://host:6443 answered more than 64 KiB; an API server says less; is this its address?",
    },
    {
      name: "says what went wrong with others, and never that credentials did",
      cause: new RangeError("no"),
      text: "the answer of https://host:6443 cannot be used: no",
    },
  ]) {
    it(name, () => {
      const error = uselessError(asked, cause);

      expect(error).to.include({ code: 0, reason: "BadAnswer" });
      expect(error.message).to.equal(`PUT /api/v1/pods: ${text}`);
    });
  }
});

describe("timeoutError", () => {
  it("says what it was waiting for", () => {
    const error = timeoutError(asked, "waiting for the answer");

    expect(error).to.include({ code: 0, reason: "Timeout" });
    expect(error.message).to.equal(
      "PUT /api/v1/pods: https://host:6443: time is up after 30 s, waiting for the answer",
    );
  });
});

describe("describeCause", () => {
  for (const { name, cause, expected } of [
    { name: "takes the message", cause: new Error("no"), expected: "no" },
    { name: "falls back to the code", cause: coded("EPIPE", ""), expected: "EPIPE" },
    {
      name: "lists what happy eyeballs tried",
      cause: new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")]),
      expected: "::1 refused, 127.0.0.1 refused",
    },
    { name: "takes anything", cause: 7, expected: "7" },
  ]) {
    it(name, () => expect(describeCause(cause)).to.equal(expected));
  }
});
