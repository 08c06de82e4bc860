import { Informers } from "kopf-ts";
import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { type Command, type Cost, Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import { createWidget, installWidgets, resetWidgets, Widget } from "../widgets.ts";

const workers = 10;
const createsPerSecond = 50;
const arrivals = 500;

/** From the start of a process until it has patched the status of every object; then the delay from create to status. */
export const reconcile: Scenario = {
  name: "reconcile",
  about: `one status patch per object by ${workers} workers; then ${createsPerSecond} creates/s`,
  run: async (bench) => {
    const n = bench.n ?? 1000;
    await installWidgets(bench.client);
    const subjects = reconcilers(bench);
    const rounds = await interleave(
      bench,
      Object.fromEntries(
        Object.entries(subjects).map(([name, start]) => [
          name,
          (round: number) => measure(bench, name, start, n, round),
        ]),
      ),
    );
    return { n, rounds, targets, missing: bench.peers.missing } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "kopf-ts", peer: "controller-runtime", figure: "wall_s", limit: 1.05 },
  { subject: "kopf-ts", peer: "controller-runtime", figure: "cpu_s", limit: 1.05 },
  {
    subject: "kopf-ts",
    peer: "controller-runtime",
    figure: "cpu_ms_per_object_slope",
    limit: 1.05,
  },
  { subject: "kopf-ts", peer: "controller-runtime", figure: "p95_ms", limit: 1.05 },
  { subject: "kopf-ts", figure: "rss_peak_mb", limit: 100 },
];

type Start = (namespace: string, n: number) => Command;

function reconcilers({ peers, plane }: Bench): Readonly<Record<string, Start>> {
  const env = (namespace: string, n: number): Record<string, string> => ({
    KUBECONFIG: plane.kubeconfigPath,
    BENCH_NS: namespace,
    BENCH_N: String(n),
    BENCH_WORKERS: String(workers),
  });
  const go: Start = (namespace, n) =>
    peers.controllerRuntime(
      ...["reconcile", "--kubeconfig", plane.kubeconfigPath, "--ns", namespace],
      ...["--n", String(n), "--workers", String(workers)],
    );
  return {
    "kopf-ts": (namespace, n) => peers.script("kopf-ts-reconcile", env(namespace, n)),
    ...("controller-runtime" in peers.missing ? {} : { "controller-runtime": go }),
    "client-node": (namespace, n) => peers.script("client-node-reconcile", env(namespace, n)),
    ...("kopf" in peers.missing
      ? {}
      : {
          kopf: (namespace, n) => peers.kopf("reconcile.py", ["-n", namespace], env(namespace, n)),
        }),
  };
}

async function measure(
  bench: Bench,
  name: string,
  start: Start,
  n: number,
  round: number,
): Promise<Figures> {
  const small = await throughput(bench, name, start, n);
  const large = await throughput(bench, name, start, 5 * n);
  const delays = await latency(bench, name, start, round);
  const slope = (figure: "wall_s" | "cpu_s"): number =>
    ((large[figure] - small[figure]) / (4 * n)) * 1000;
  return {
    wall_s: small.wall_s,
    cpu_s: small.cpu_s,
    rss_peak_mb: small.rss_peak_mb,
    wall_ms_per_object_slope: slope("wall_s"),
    cpu_ms_per_object_slope: slope("cpu_s"),
    ...delays,
  };
}

async function throughput(bench: Bench, name: string, start: Start, n: number): Promise<Cost> {
  const namespace = `bench-${name}-${n}`;
  await resetWidgets(bench.client, namespace, n);
  await using subject = new Subject(name, start(namespace, n));
  await subject.event("done");
  return subject.cost();
}

/** Delay from sending a create until a watch shows the status, at a fixed rate of creates. */
async function latency(bench: Bench, name: string, start: Start, round: number): Promise<Figures> {
  const namespace = `bench-${name}-arrivals-${round}`;
  await resetWidgets(bench.client, namespace, 0);
  // One object beforehand shows that the subject watches.
  await createWidget(bench.client, namespace, "first");
  await using subject = new Subject(name, start(namespace, 1));
  await subject.event("done");

  const informers = new Informers(bench.client);
  try {
    return await measureArrivals(bench, informers, namespace);
  } finally {
    await informers.dispose();
  }
}

async function measureArrivals(
  { client }: Bench,
  informers: Informers,
  namespace: string,
): Promise<Figures> {
  const { cache } = informers.acquire(Widget, { namespace });
  const sent = new Map<string, number>();
  const delays: number[] = [];
  const all = Promise.withResolvers<void>();
  cache.subscribe(({ key }) => {
    const at = sent.get(key);
    if (at === undefined || cache.get(key)?.status?.done !== true) return;
    sent.delete(key);
    delays.push(performance.now() - at);
    if (delays.length === arrivals) all.resolve();
  });
  await cache.whenSynced();
  for (let index = 0, begin = performance.now(); index < arrivals; index++) {
    const due = begin + (index * 1000) / createsPerSecond; // at a steady rate, whatever the answers take
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    sent.set(`${namespace}/a-${index}`, performance.now());
    createWidget(client, namespace, `a-${index}`).catch(all.reject);
  }
  await all.promise;
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { p50_ms: at(0.5), p95_ms: at(0.95) };
}
