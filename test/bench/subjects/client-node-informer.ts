/** @kubernetes/client-node's makeInformer over all Pods. */

import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from "@kubernetes/client-node";
import { answer, emit, longestStall, resetStall } from "./protocol.ts";

resetStall();
const wanted = Number(process.env.BENCH_N);
const marker = process.env.BENCH_MARKER ?? "";
const config = new KubeConfig();
config.loadFromFile(process.env.KUBECONFIG ?? "");
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());

let events = 0;
let synced = false;
const told = (pod: V1Pod): void => {
  events++;
  const value = pod.metadata?.labels?.[marker];
  if (value !== undefined && value !== "")
    emit("marker", { value, events, stallMs: longestStall() });
};
informer.on("add", (pod) => {
  told(pod);
  if (synced || events < wanted) return;
  synced = true;
  // The stall shows only once the loop turns again.
  setImmediate(() =>
    setImmediate(() => emit("synced", { objects: events, stallMs: longestStall() })),
  );
});
informer.on("update", told);
informer.on("delete", told);
// It stops at the first error; without the pause it would spin while the server is away.
informer.on("error", () => setTimeout(() => void informer.start(), 1000));
await informer.start();
answer(
  () =>
    informer.list().map(({ metadata: m }) => `${m?.namespace}/${m?.name}/${m?.resourceVersion}`),
  (line) => line === "reset" && resetStall(),
);
