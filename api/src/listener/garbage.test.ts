import { once } from "node:events";
import { expect } from "chai";
import { silentLogger, systemClock } from "kopf-ts";
import { send } from "../stage.ts";
import { selfSigned } from "./certificate.ts";
import { listen } from "./index.ts";
import { Raw } from "./testing/raw.ts";

const requests = 5000;

describe("requests that have ended", function () {
  this.timeout(60_000);

  it("are garbage of which little outlives a minor collection", async () => {
    const certificate = await selfSigned(["localhost"], Date.now());
    await using listener = await listen({
      ...{ httpsPort: 0, certificate, clock: systemClock, log: silentLogger },
      handle: async ({ response, signal, log }) => {
        signal.throwIfAborted();
        log.debug("asked");
        send(response, 200, "hello", "text/plain");
      },
    });
    const client = new Raw(listener, certificate.cert);
    const ask = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        client.text = "";
        client.send("GET / HTTP/1.1", "Host: x");
        while (!client.text.endsWith("hello")) await once(client.socket, "data");
      }
    };
    await ask(requests); // so that what is compiled and pooled is there
    const before = await afterMinor();

    await ask(requests);

    expect((await afterMinor()) - before).to.be.below(requests * 200);
    client.socket.destroy();
  });
});

async function afterMinor(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.({ type: "minor", execution: "sync" });
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
