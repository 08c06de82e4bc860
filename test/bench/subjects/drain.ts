/** The limit: reads the watch-list stream of all Pods over undici and throws it away, noting only its end. */

import { readFileSync } from "node:fs";
import { Pool } from "undici";
import { parse } from "yaml";
import { emit, longestStall, resetStall } from "./protocol.ts";

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

resetStall();
const config = parse(readFileSync(process.env.KUBECONFIG ?? "", "utf8")) as Kubeconfig;
const cluster = config.clusters[0]?.cluster ?? {};
const user = config.users[0]?.user ?? {};
const pem = (text = ""): Buffer => Buffer.from(text, "base64");

const pool = new Pool(cluster.server ?? "", {
  bodyTimeout: 0,
  connect: {
    ca: pem(cluster["certificate-authority-data"]),
    cert: pem(user["client-certificate-data"]),
    key: pem(user["client-key-data"]),
  },
});
const path =
  "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const { body } = await pool.request({ method: "GET", path });

let bytes = 0;
let tail = "";
body.on("data", (chunk: Buffer) => {
  bytes += chunk.length;
  tail = tail.slice(-400) + chunk.toString("latin1", Math.max(0, chunk.length - 400));
  if (tail.includes('"k8s.io/initial-events-end":"true"')) {
    emit("synced", { bytes, stallMs: longestStall() });
    body.removeAllListeners("data");
    body.resume();
  }
});
