import { interleave, type Outcome, type Scenario } from "../bench.ts";
import { closedLoop, closedLoopProgram } from "../closed-loop.ts";
import type { Aim } from "../load.ts";
import { cpuSeconds } from "../process.ts";
import type { Figures } from "../stats.ts";
import { contestants, startAll, staticOf } from "../v1/contestants.ts";
import { apiServerAim, openField } from "../v1/field.ts";
import { aimAt, packed, questions } from "../v1/questions.ts";
import type { V1Server } from "../v1-peers.ts";

/** Pages of 100 of all Pods, asked for in several ways by people with different rights, on ten connections; some also in gzip, as browsers ask. */
export const page: Scenario = {
  name: "page",
  about: "pages of 100 of /v1/pods, in several orders, filters and rights",
  apart: true,
  run: async (bench) => {
    await closedLoopProgram(bench.say);
    await using field = await openField(bench, "bench-page");
    const { n, plane } = field;
    const { starts, missing } = await contestants(bench, field);
    // Both run at once: where nothing changes, who is not asked does nothing.
    await using servers = await startAll(bench, { starts, n });
    const { drover, steve } = servers;
    await using fixed = await staticOf(field, servers.page);
    const apiServer = await apiServerAim(plane);
    const rounds = await interleave(bench, {
      drover: () => measure(drover, n, asked),
      ...(steve && { steve: () => measure(steve, n, asked) }),
      static: () => measure(fixed, n, ["id", "gzip_id"]),
      "kube-apiserver": () =>
        figures("id", apiServer, () => cpuSeconds(plane.pids["kube-apiserver"] ?? 0)),
    });
    return { n, rounds, targets, missing, replayed: field.replay !== undefined } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", peer: "steve", figure: "id_cpu_ms", limit: 0.02 },
  { subject: "drover", peer: "static", figure: "id_cpu_ms", limit: 2 },
  { subject: "drover", peer: "static", figure: "gzip_id_cpu_ms", limit: 2 },
  { subject: "drover", figure: "id_p99_ms", limit: 15 },
  { subject: "drover", figure: "gzip_id_p99_ms", limit: 15 },
  ...[
    "gzip_id",
    "gzip_created",
    "gzip_ns50",
    "created",
    "state",
    "label",
    "name",
    "ns50",
    "deep",
  ].map((name) => ({
    ...{ subject: "drover", peer: "steve", figure: `${name}_cpu_ms`, limit: 0.02 },
  })),
];

/** The answers of these are also asked for in gzip. */
const inGzip = ["id", "created", "ns50"].map((name) => `gzip_${name}`);
const asked = [...Object.keys(questions), ...inGzip];

const connections = 10;
/** Of one question in one round, ... */
const bounds = { requests: 2000, time: 8000 } as const;
/** ... and before it counts, so that all have warm caches and compiled code. */
const warmUp = { requests: 2000, time: 5000 } as const;

async function measure(server: V1Server, n: number, names: readonly string[]): Promise<Figures> {
  const all: Record<string, number> = {};
  for (const name of names) {
    const question = name.replace("gzip_", "");
    const aim = aimAt(server, question, n);
    const wanted = question === name ? aim : packed(aim);
    Object.assign(all, await figures(name, wanted, () => server.subject.cost().cpu_s));
  }
  const { rss_mb, rss_peak_mb } = server.subject.cost();
  return { ...all, rss_mb, rss_peak_mb };
}

async function figures(name: string, aim: Aim, cpu: () => number): Promise<Figures> {
  await closedLoop(aim, connections, warmUp);
  const before = cpu();
  const { p50, p99, perSecond, count, bytes } = await closedLoop(aim, connections, bounds);
  // The connections' first answers count as well: they were sent by the same process.
  return {
    [`${name}_cpu_ms`]: ((cpu() - before) * 1000) / (count + connections),
    [`${name}_p50_ms`]: p50,
    [`${name}_p99_ms`]: p99,
    [`${name}_per_s`]: perSecond,
    [`${name}_bytes`]: bytes,
  };
}
