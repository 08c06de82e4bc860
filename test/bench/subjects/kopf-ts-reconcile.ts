/** kopf-ts: an operator with its metrics and one controller of 10 workers, one status merge patch per object; no election, as the peer. */

import {
  type Controller,
  connect,
  defineKind,
  done,
  type KubeObject,
  loadConfig,
  Metrics,
  Operator,
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
const config = await loadConfig({ kubeconfig: process.env.KUBECONFIG ?? "" });
const metrics = new Metrics();
const client = connect(config, { metrics: metrics.client(new URL(config.server).host) });
let patched = 0;

const controller: Controller<Widget> = {
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
};
const operator = new Operator({ name: "bench", client, controllers: [controller], metrics });
process.exitCode = await operator.start(new AbortController().signal);
