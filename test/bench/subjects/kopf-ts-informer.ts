/** kopf-ts: one informer over all Pods; a program that only watches needs two of the layers. */

import { Informers } from "kopf-ts/cache";
import { connect, defineKind, loadConfig } from "kopf-ts/kube";
import { answer, emit, longestStall, resetStall } from "./protocol.ts";

resetStall();
const marker = process.env.BENCH_MARKER ?? "";
const Pod = defineKind({
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  scope: "Namespaced",
});
const client = connect(await loadConfig({ kubeconfig: process.env.KUBECONFIG ?? "" }));
const { cache } = new Informers(client).acquire(Pod);

let events = 0;
cache.subscribe((change) => {
  events++;
  if (marker === "" || change.initial) return;
  const value = cache.get(change.key)?.metadata.labels?.[marker];
  if (value !== undefined) emit("marker", { value, events, stallMs: longestStall() });
});
await cache.whenSynced();
setImmediate(() => emit("synced", { objects: cache.size, stallMs: longestStall() }));
answer(
  () => [...cache.keys()].map((key) => `${key}/${cache.resourceVersionOf(key)}`),
  (line) => line === "reset" && resetStall(),
);
