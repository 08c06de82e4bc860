/**
 * Sends the same bytes to everybody, over HTTPS: what Node alone costs. They are read from the file BENCH_BODY names, and for those who accept gzip from
 * BENCH_PACKED; which TLS it speaks is in BENCH_TLS.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { emit } from "./protocol.ts";

const { BENCH_CERT: cert = "", BENCH_KEY: key = "", BENCH_TLS: tls = "{}" } = process.env;
const { BENCH_BODY: file = "", BENCH_PACKED: packedFile = "" } = process.env;
const type = { "Content-Type": "application/json" };
const body = readFileSync(file);
const packed = readFileSync(packedFile);
const headers = { ...type, "Content-Length": body.length };
const packedHeaders = { ...type, "Content-Length": packed.length, "Content-Encoding": "gzip" };
const server = createServer(
  {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ...(JSON.parse(tls) as SecureContextOptions),
  },
  (request, response) => {
    const isPacked = request.headers["accept-encoding"] === "gzip";
    response.writeHead(200, isPacked ? packedHeaders : headers);
    response.end(isPacked ? packed : body);
  },
);
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  emit("listening", { address: `127.0.0.1:${port}` });
});
process.once("SIGTERM", () => server.close(() => process.exit(0)));
