import { expect } from "chai";
import { websocketTo } from "../listener/testing/raw.ts";
import { Served } from "../listener/testing/served.ts";
import { send } from "../stage.ts";
import { websocketGuard } from "./index.ts";

const firefox = "User-Agent: Mozilla/5.0 (X11; Linux x86_64)";

describe("websocketGuard", () => {
  let served: Served;
  before(async () => {
    served = await Served.open([
      websocketGuard,
      async ({ response }) => send(response, 200, "in", "text/plain"),
    ]);
  });
  after(() => served[Symbol.asyncDispose]());

  const statusOf = async (...headers: readonly string[]): Promise<number> => {
    const text = await served.raw().send(...headers).ended;
    return Number(text.slice("HTTP/1.1 ".length).slice(0, 3));
  };
  const websocket = websocketTo("/v1/subscribe").filter((each) => !each.startsWith("Host:"));

  for (const { name, headers, expected } of [
    {
      name: "its own origin",
      headers: ["Host: d.test:8443", "Origin: https://d.test:8443"],
      expected: 200,
    },
    {
      name: "its own origin on the usual port",
      headers: ["Host: d.test:443", "Origin: https://d.test"],
      expected: 200,
    },
    {
      name: "its own origin in capitals",
      headers: ["Host: D.test", "Origin: https://d.TEST"],
      expected: 200,
    },
    { name: "no origin", headers: ["Host: d.test"], expected: 200 },
    {
      name: "another origin",
      headers: ["Host: d.test", "Origin: https://evil.test"],
      expected: 403,
    },
    {
      name: "another port",
      headers: ["Host: d.test:8443", "Origin: https://d.test:9443"],
      expected: 403,
    },
    {
      name: "a name that ends like ours",
      headers: ["Host: d.test", "Origin: https://evil-d.test"],
      expected: 403,
    },
    { name: "an origin that has none", headers: ["Host: d.test", "Origin: null"], expected: 403 },
    { name: "a file", headers: ["Host: ", "Origin: file://"], expected: 403 },
  ]) {
    it(`answers ${expected} to a browser's websocket of ${name}`, async () => {
      expect(await statusOf(...websocket, firefox, ...headers)).to.equal(expected);
    });
  }

  it("looks at browsers alone, and at upgrades alone", async () => {
    const origin = ["Host: d.test", "Origin: https://evil.test"];
    const plain = ["GET / HTTP/1.1", "Connection: close", firefox, ...origin];

    expect(await statusOf(...websocket, "User-Agent: Go-http-client/1.1", ...origin)).to.equal(200);
    expect(await statusOf(...plain)).to.equal(200);
  });

  it("finds the upgrade among other options of a connection", async () => {
    const lines = websocket.map((each) =>
      each.replace("Connection: Upgrade", "Connection: keep-alive, uPGRADE"),
    );

    expect(await statusOf(...lines, firefox, "Host: d.test", "Origin: https://evil.test")).to.equal(
      403,
    );
  });
});
