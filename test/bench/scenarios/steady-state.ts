import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { clearMarker, markerLabel, passMarker } from "../marker.ts";
import { createPods, nameOf, namespaceOf } from "../pods.ts";
import { type Command, Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import { informers } from "./sync.ts";

const changes = 5000;

/** A synced informer takes 5,000 changes, as fast as the API server accepts them. */
export const steadyState: Scenario = {
  name: "steady_state",
  about: `${changes} changes on a synced informer`,
  run: async (bench) => {
    const n = bench.n ?? 10_000;
    await createPods(bench.client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
    const { drain: _, ...subjects } = informers(bench, n, markerLabel);
    const rounds = await interleave(
      bench,
      Object.fromEntries(
        Object.entries(subjects).map(([name, command]) => [
          name,
          (round: number) => measure(bench, name, command, n, round),
        ]),
      ),
    );
    return { n, rounds, targets, missing: bench.peers.missing } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "kopf-ts", peer: "client-node", figure: "cpu_us_per_change", limit: 0.5 },
  { subject: "kopf-ts", peer: "client-node", figure: "rss_mb", limit: 0.334 },
  { subject: "kopf-ts", figure: "stall_max_ms", limit: 50 },
];

async function measure(
  bench: Bench,
  name: string,
  command: Command,
  n: number,
  round: number,
): Promise<Figures> {
  await using subject = new Subject(name, command);
  await subject.event("synced");
  subject.tell("reset");
  const before = subject.cost();

  const start = performance.now();
  await change(bench, n, `${round}-${name}`);
  const { stallMs } = await passMarker(bench.client, subject);

  const after = subject.cost();
  await clearMarker(bench.client);
  return {
    wall_s: (performance.now() - start) / 1000,
    cpu_us_per_change: ((after.cpu_s - before.cpu_s) / changes) * 1e6,
    rss_mb: after.rss_mb,
    ...(typeof stallMs === "number" ? { stall_max_ms: stallMs } : {}),
  };
}

async function change({ client }: Bench, n: number, value: string): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < changes; index = next++) {
      const pod = (index * 7919) % n;
      await client.request({
        method: "PATCH",
        path: `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`,
        headers: { "Content-Type": "application/merge-patch+json" },
        body: JSON.stringify({
          metadata: { annotations: { "bench/change": `${value}-${index}` } },
        }),
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
