/** kopf-ts: one controller of 10 workers, one status merge patch per object. */

import {
  ControllerRunner,
  connect,
  defineKind,
  done,
  Informers,
  type KubeObject,
  loadConfig,
} from "kopf-ts";
import { emit } from "./protocol.ts";

interface Widget extends KubeObject {
  readonly status?: { readonly done?: boolean };
}

const wanted = Number(process.env.BENCH_N);
const Widget = defineKind<Widget>({
  group: "bench.drover.dev",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});
const client = connect(await loadConfig({ kubeconfig: process.env.KUBECONFIG ?? "" }));
let patched = 0;

const runner = new ControllerRunner<Widget>(
  {
    name: "bench",
    watches: Widget,
    select: { namespace: process.env.BENCH_NS },
    concurrency: Number(process.env.BENCH_WORKERS),
    reconcile: async (widget, context) => {
      if (widget.status?.done === true) return done;
      const merge = { status: { done: true, at: new Date().toISOString() } };
      await context.client.patch(widget, { merge }, { subresource: "status" });
      if (++patched === wanted) emit("done", { n: patched });
      return done;
    },
  },
  { client, informers: new Informers(client) },
);
const { signal } = new AbortController();
await runner.warm(signal);
emit("synced");
await runner.start(signal);
