/** @kubernetes/client-node: an informer, a deduplicated queue of 10 workers, one status merge patch per object. */

import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { emit } from "./protocol.ts";

interface Widget extends KubernetesObject {
  readonly status?: { readonly done?: boolean };
}

const wanted = Number(process.env.BENCH_N);
const workers = Number(process.env.BENCH_WORKERS);
const resource = {
  group: "bench.drover.dev",
  version: "v1",
  namespace: process.env.BENCH_NS ?? "",
  plural: "widgets",
};
const config = new KubeConfig();
config.loadFromFile(process.env.KUBECONFIG ?? "");
const api = config.makeApiClient(CustomObjectsApi);
const path = `/apis/${resource.group}/${resource.version}/namespaces/${resource.namespace}/widgets`;
const informer = makeInformer<Widget>(config, path, () => api.listNamespacedCustomObject(resource));
const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

const queue = new Set<string>();
let active = 0;
let patched = 0;

async function reconcile(name: string): Promise<void> {
  const object = informer.get(name, resource.namespace);
  if (object === undefined || object.status?.done === true) return;
  const body = { status: { done: true, at: new Date().toISOString() } };
  await api.patchNamespacedCustomObjectStatus({ ...resource, name, body }, merge);
  if (++patched === wanted) emit("done", { n: patched });
}

function add(name: string): void {
  queue.add(name);
  pump();
}

function pump(): void {
  for (const name of queue) {
    if (active >= workers) return;
    queue.delete(name);
    active++;
    reconcile(name)
      .catch(() => queue.add(name))
      .finally(() => {
        active--;
        pump();
      });
  }
}

informer.on("add", (object) => add(object.metadata?.name ?? ""));
informer.on("update", (object) => add(object.metadata?.name ?? ""));
informer.on("error", () => void informer.start());
await informer.start();
