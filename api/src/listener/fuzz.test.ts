import { expect } from "chai";
import { createLogger } from "kopf-ts";
import { type Random, seededRandom } from "kopf-ts/testing";
import { readBody } from "../body.ts";
import { csrf } from "../csrf/index.ts";
import { cattleAuth, headers } from "../headers/index.ts";
import { requireLogin } from "../require-login/index.ts";
import { send } from "../stage.ts";
import { websocketGuard } from "../websocket-guard/index.ts";
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

    for (let seed = 1; seed <= 800; seed++) {
      const raw = served.raw();
      const bytes = request(seededRandom(seed));
      raw.socket.end(bytes);
      const answer = await raw.ended;
      expect(answer, `seed ${seed}: ${bytes}`).to.not.match(/^HTTP\/1\.1 5/);
    }

    process.off("unhandledRejection", onUnhandled);
    expect((await served.call("/x")).status).to.equal(200);
    expect(unhandled).to.deep.equal([]);
    expect(told.filter((line) => /"level":"(error|warn)"/.test(line))).to.deep.equal([]);
  });
});
