import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { createPods } from "../pods.ts";
import { type Command, Subject } from "../process.ts";
import type { Figures } from "../stats.ts";

/** From the start of a process until its informer holds every Pod. */
export const sync: Scenario = {
  name: "sync",
  about: "cold start of one informer until it holds every Pod",
  run: async (bench) => {
    const n = bench.n ?? 10_000;
    await createPods(bench.client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
    const digests = new Set<string>();
    const commands = informers(bench, n);
    const rounds = await interleave(
      bench,
      Object.fromEntries(
        Object.entries(commands).map(([name, command]) => [
          name,
          () => measure(name, command, digests),
        ]),
      ),
    );
    if (digests.size > 1)
      throw new Error("the subjects do not hold the same objects: nothing was compared");
    return { n, rounds, targets, missing: bench.peers.missing } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "kopf-ts", peer: "drain", figure: "wall_s", limit: 1.25 },
  { subject: "kopf-ts", peer: "client-node", figure: "cpu_s", limit: 0.334 },
  { subject: "kopf-ts", peer: "client-node", figure: "rss_peak_mb", limit: 0.334 },
  { subject: "kopf-ts", figure: "stall_max_ms", limit: 50 },
];

/** The informer of every subject that can run. */
export function informers(
  { peers, plane }: Bench,
  n: number,
  marker = "",
): Readonly<Record<string, Command>> {
  const env = { KUBECONFIG: plane.kubeconfigPath, BENCH_N: String(n), BENCH_MARKER: marker };
  const kubeconfig = ["--kubeconfig", plane.kubeconfigPath];
  const go = (form: string): Command =>
    peers.controllerRuntime("informer", ...kubeconfig, "--form", form, "--marker", marker);
  return {
    drain: peers.script("drain", env),
    "kopf-ts": peers.script("kopf-ts-informer", env),
    "client-node": peers.script("client-node-informer", env),
    ...("controller-runtime" in peers.missing
      ? {}
      : {
          "controller-runtime": go("typed"),
          "controller-runtime-unstructured": go("unstructured"),
        }),
    ...("kopf" in peers.missing ? {} : { kopf: peers.kopf("informer.py", ["-A"], env) }),
  };
}

async function measure(name: string, command: Command, digests: Set<string>): Promise<Figures> {
  await using subject = new Subject(name, command);
  const { stallMs } = await subject.event("synced");
  const { rss_mb: _, ...cost } = subject.cost();
  if (name !== "drain") {
    subject.tell("digest");
    digests.add(String((await subject.event("digest")).digest));
  }
  return { ...cost, ...(typeof stallMs === "number" ? { stall_max_ms: stallMs } : {}) };
}
