/** Sends the same bytes to everybody, over HTTPS: what Node alone costs. The bytes are read from the file BENCH_BODY names. */

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { emit } from "./protocol.ts";

const { BENCH_CERT: cert = "", BENCH_KEY: key = "", BENCH_BODY: file = "" } = process.env;
const body = readFileSync(file);
const headers = { "Content-Type": "application/json", "Content-Length": body.length };
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  emit("listening", { address: `127.0.0.1:${port}` });
});
process.once("SIGTERM", () => server.close(() => process.exit(0)));
