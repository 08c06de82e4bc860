import { expect } from "chai";
import { createLogger, systemClock } from "kopf-ts";
import { type Random, seededRandom } from "kopf-ts/testing";
import { readBody } from "../body.ts";
import { csrf } from "../csrf/index.ts";
import { cattleAuth, headers } from "../headers/index.ts";
import { requireLogin } from "../require-login/index.ts";
import { send } from "../stage.ts";
import { websocketGuard } from "../websocket-guard/index.ts";
import type { Raw } from "./testing/raw.ts";
import { fakeAuthn, Served } from "./testing/served.ts";

const starts = [
  "GET / HTTP/1.1",
  "POST /v1/pods HTTP/1.1",
  "GET /v1/subscribe HTTP/1.1",
  "HEAD //x HTTP/1.1",
  "GET /%ff%00 HTTP/1.0",
  "PATCH /v1/a?_method=DELETE HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "CONNECT a:1 HTTP/1.1",
  "PRI * HTTP/2.0",
  "\u0016\u0003\u0001",
] as const;
const fields = [
  "Host: localhost",
  "Host: \u00ff",
  "Connection: upgrade, close",
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Content-Length: 5",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 99999999",
  "Transfer-Encoding: chunked",
  "Expect: 100-continue",
  "Expect: anything",
  "User-Agent: Mozilla",
  "Cookie: CSRF=;;;=; CSRF",
  "Origin: https://%",
  "X-Forwarded-Proto: wss",
  "X-Forwarded-Host: <script>",
  "X-API-URL-Prefix: /../..",
  "Authorization: Basic \u0080",
  ": no name",
  "no colon",
];
const bodies = ["", "hello", "5\r\nhello\r\n0\r\n\r\n", "zz\r\n", "\u0000\u0000\u0000"] as const;

/** What may come ahead of it, and be answered at the same time. */
const ahead = [aheadWith(""), aheadWith("Expect: anything\r\n")] as const;

function aheadWith(field: string): Buffer {
  return Buffer.from(`GET /ahead HTTP/1.1\r\nHost: localhost\r\n${field}\r\n`);
}

function requests(random: Random): Buffer {
  const last = request(random);
  return random.chance(0.3) ? Buffer.concat([random.pick(ahead), last]) : last;
}

function request(random: Random): Buffer {
  const chosen = fields.filter(() => random.chance(0.25));
  const lines = [random.pick(starts), ...chosen, "", random.pick(bodies)];
  const bytes = Buffer.from(lines.join("\r\n"), "latin1");
  if (random.chance(0.5)) return bytes;
  const at = Math.floor(random.next() * bytes.length);
  if (random.chance(0.5)) return bytes.subarray(0, at);
  bytes[at] = Math.floor(random.next() * 256);
  return bytes;
}

describe("whatever clients send", function () {
  this.timeout(60_000);

  it("is answered or ended, never by 500, and nothing is told at level error", async () => {
    const told: string[] = [];
    const log = createLogger({ output: { write: (line: string) => void told.push(line) } });
    const stages = [headers, websocketGuard, fakeAuthn, cattleAuth(true), csrf, requireLogin];
    await using served = await Served.open(
      [
        ...stages,
        async (exchange) =>
          send(
            exchange.response,
            200,
            String((await readBody(exchange, 100)).length),
            "text/plain",
          ),
      ],
      log,
    );
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", onUnhandled);
    let answered = 0;

    for (let seed = 1; seed <= 800; seed++) {
      const raw = served.raw();
      const bytes = requests(seededRandom(seed));
      const answer = await answerTo(raw, bytes);
      expect(answer, `seed ${seed}: ${bytes}`).to.match(/^$|^HTTP\/1\.1 [1-4]\d\d /);
      if (isWhole(bytes)) expect(answer, `seed ${seed}: ${bytes}`).to.not.equal("");
      if (answer !== "") answered++;
    }

    process.off("unhandledRejection", onUnhandled);
    expect((await served.call("/x")).status).to.equal(200);
    expect(answered).to.be.above(400);
    expect(unhandled).to.deep.equal([]);
    expect(told.filter((line) => /"level":"(error|warn)"/.test(line))).to.deep.equal([]);
  });
});

/** Milliseconds in which what is no whole request may be answered. */
const patience = 30;

/** Ends the connection behind the first of an answer, not before: whoever has closed their half has gone. */
async function answerTo(raw: Raw, bytes: Buffer): Promise<string> {
  raw.socket.write(bytes);
  raw.socket.once("data", () => raw.socket.end());
  if (!isWhole(bytes)) {
    await raw.written();
    await Promise.race([raw.ended, systemClock.sleep(patience)]);
    raw.socket.end();
  }
  return raw.ended;
}

/** Whether it has to be answered: nothing of a request without a body is missing, and it does not ask for a tunnel. */
function isWhole(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  const mayNotBe = /^connect|content-length|transfer-encoding|upgrade/i;
  return text.includes("\r\n\r\n") && !mayNotBe.test(text);
}
