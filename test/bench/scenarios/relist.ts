import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { clearMarker, markerLabel, passMarker } from "../marker.ts";
import { createPods } from "../pods.ts";
import { type Command, Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import { informers } from "./sync.ts";

/**
 * A synced informer loses its server: the API server restarts with an empty watch history, refuses the old resourceVersion with 410,
 * and everything is listed again. Wall time counts from the server's readiness, so every client's own back-off is part of it.
 */
export const relist: Scenario = {
  name: "relist",
  about: "everything listed again after a restart of the API server",
  run: async (bench) => {
    const n = bench.n ?? 10_000;
    await createPods(bench.client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
    const { drain: _, ...subjects } = informers(bench, n, markerLabel);
    const rounds = await interleave(
      bench,
      Object.fromEntries(
        Object.entries(subjects).map(([name, command]) => [
          name,
          () => measure(bench, name, command),
        ]),
      ),
    );
    return { n, rounds, targets, missing: bench.peers.missing } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "kopf-ts", peer: "client-node", figure: "cpu_s", limit: 0.334 },
  { subject: "kopf-ts", peer: "client-node", figure: "rss_peak_mb", limit: 0.334 },
  { subject: "kopf-ts", figure: "stall_max_ms", limit: 50 },
];

async function measure(bench: Bench, name: string, command: Command): Promise<Figures> {
  await using subject = new Subject(name, command);
  await subject.event("synced");
  subject.tell("reset");
  const before = subject.cost();

  await bench.plane.restartApiServer();
  const ready = performance.now();
  await passMarker(bench.client, subject);
  // The first value may come in the middle of the list; the second comes only after its end.
  const { stallMs } = await passMarker(bench.client, subject);

  const after = subject.cost();
  await clearMarker(bench.client);
  return {
    wall_s: (performance.now() - ready) / 1000,
    cpu_s: after.cpu_s - before.cpu_s,
    rss_peak_mb: after.rss_peak_mb,
    ...(typeof stallMs === "number" ? { stall_max_ms: stallMs } : {}),
  };
}
