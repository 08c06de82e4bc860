import { interleave, type Outcome, type Scenario, type Surroundings } from "../bench.ts";
import { type Aim, openLoop } from "../load.ts";
import type { Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import { agreed, contestants, inTurn, staticOf } from "../v1/contestants.ts";
import { apiServerAim, type Field, openField } from "../v1/field.ts";
import { aimAt } from "../v1/questions.ts";
import { untilAtRest, untilComplete, untilSeen } from "../v1/until.ts";
import { lastRevision, type Pace, Writer } from "../v1/writer.ts";
import type { V1Server } from "../v1-peers.ts";

const pagesPerSecond = 20;
const changesPerSecond = 200;

/**
 * Pods change 200 times a second, by patches to the real API server: first what that costs who keeps them, then pages of 100 that are asked for at a
 * rate meanwhile. Each server is alone in its turn, for all that keep Pods pay for changes.
 */
export const churn: Scenario = {
  name: "churn",
  about: `pages of 100 of /v1/pods at ${pagesPerSecond} per second, open loop, while ${changesPerSecond} changes per second are applied`,
  apart: true,
  run: async (bench) => {
    const pace = { perSecond: changesPerSecond, time: bench.time ?? 20_000 };
    await using field = await openField(bench, "bench-churn");
    const { starts, missing } = await contestants(bench, field);
    const { n, plane } = field;
    const body = await agreed(bench, { starts, n });
    const apiServer = await apiServerAim(plane);
    const rounds = await interleave(bench, {
      ...inTurn(starts, (server) => measure(bench, field, server, pace)),
      static: async () => {
        await using server = await staticOf(field, body);
        return await timePages(field, aimAt(server, "id", n), pace);
      },
      "kube-apiserver": () => timePages(field, apiServer, pace),
    });
    return { n, rounds, targets, missing, replayed: field.replayed } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", figure: "p99_ms", limit: 30 },
  { subject: "drover", peer: "steve", figure: "cpu_ms_per_change", limit: 0.1 },
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
  { subject: "drover", figure: "stall_max_ms", limit: 50 },
];

async function measure(
  bench: Surroundings,
  field: Field,
  server: V1Server,
  pace: Pace,
): Promise<Figures> {
  await untilComplete(server, field.n);
  await untilAtRest(server);
  const perChange = await costOfChanges(field, server, pace, bench.idle ?? 5000);
  const stalls = stallsOf(server.subject);
  const pages = await timePages(field, aimAt(server, "id", field.n), pace);
  const stall_max_ms = await stalls?.();
  const { rss_mb, rss_peak_mb } = server.subject.cost();
  return {
    ...{ ...perChange, ...pages, rss_mb, rss_peak_mb },
    ...(stall_max_ms !== undefined && { stall_max_ms }),
  };
}

/** CPU of a server until it has seen all changes, without what it takes while nothing happens. */
async function costOfChanges(
  field: Field,
  server: V1Server,
  pace: Pace,
  idle: number,
): Promise<Figures> {
  const before = server.subject.cost();
  await new Promise((resolve) => setTimeout(resolve, idle)); // measured: what rest costs in this time
  const begin = server.subject.cost();
  const idleRate = (begin.cpu_s - before.cpu_s) / (begin.wall_s - before.wall_s);

  await using writer = new Writer(field);
  const applied = await writer.apply(pace);
  await untilSeen(server, lastRevision(applied));

  const end = server.subject.cost();
  const cpu = end.cpu_s - begin.cpu_s - idleRate * (end.wall_s - begin.wall_s);
  return { cpu_ms_per_change: (cpu * 1000) / applied.changes.length };
}

/** Pages at a rate while the Pods change; both processes have their own loop. */
async function timePages(field: Field, aim: Aim, pace: Pace): Promise<Figures> {
  await using writer = new Writer(field);
  const bounds = { requests: Number.POSITIVE_INFINITY, time: pace.time };
  const [{ p50, p95, p99 }, applied] = await Promise.all([
    openLoop(aim, pagesPerSecond, bounds),
    writer.apply(pace),
  ]);
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99, changes_per_s: applied.perSecond };
}

/** Begins to look at stalls of our loop, and tells the longest; nobody else's can be asked. */
function stallsOf(subject: Subject): (() => Promise<number>) | undefined {
  if (subject.name !== "drover") return undefined;
  subject.tell("reset");
  return async () => {
    subject.tell("stall");
    return Number((await subject.event("stall")).stallMs);
  };
}
