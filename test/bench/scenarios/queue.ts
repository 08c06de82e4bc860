import { interleave, type Outcome, type Scenario } from "../bench.ts";
import { type Command, Subject } from "../process.ts";
import type { Figures } from "../stats.ts";

/** Adds N keys to an empty queue, takes each and marks it done; both queues keep their metrics meanwhile. */
export const queue: Scenario = {
  name: "queue",
  about: "add, get and done of N keys on one queue",
  run: async (bench) => {
    const n = bench.n ?? 1_000_000;
    const { peers } = bench;
    const subjects: Readonly<Record<string, Command>> = {
      "kopf-ts": peers.script("kopf-ts-queue", { BENCH_N: String(n) }),
      ...("controller-runtime" in peers.missing
        ? {}
        : { "controller-runtime": peers.controllerRuntime("queue", "--n", String(n)) }),
    };
    const rounds = await interleave(
      bench,
      Object.fromEntries(
        Object.entries(subjects).map(([name, command]) => [name, () => measure(name, command, n)]),
      ),
    );
    return { n, rounds, targets, missing: peers.missing } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "kopf-ts", peer: "controller-runtime", figure: "us_per_key", limit: 0.6 },
];

async function measure(name: string, command: Command, n: number): Promise<Figures> {
  await using subject = new Subject(name, command);
  const { seconds } = await subject.event("done");
  const { cpu_s, rss_peak_mb } = subject.cost();
  return { wall_s: Number(seconds), us_per_key: (Number(seconds) / n) * 1e6, cpu_s, rss_peak_mb };
}
