/**
 * A program: answers requests as the server does, and prints how many bytes of each outlive a minor collection. In a process of its own, for what has run in one
 * before decides where V8 puts what is made, and may make something itself meanwhile. Needs `--expose-gc`.
 */

import { once } from "node:events";
import { silentLogger, systemClock } from "kopf-ts";
import { send } from "../../stage.ts";
import { tuneV8 } from "../../v8.ts";
import { selfSigned } from "../certificate.ts";
import { listen } from "../index.ts";
import { Raw } from "./raw.ts";

const requests = 5000;

tuneV8(); // as the executable does
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

await ask(requests); // so that what is compiled and pooled is there
const before = await afterMinor();
await ask(requests);
console.log(((await afterMinor()) - before) / requests);
client.socket.destroy();

async function ask(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    client.text = "";
    client.send("GET / HTTP/1.1", "Host: x");
    while (!client.text.endsWith("hello")) await once(client.socket, "data");
  }
}

async function afterMinor(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.({ type: "minor", execution: "sync" });
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
