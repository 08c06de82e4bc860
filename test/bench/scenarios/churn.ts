import { interleave, type Outcome, type Scenario, type Surroundings } from "../bench.ts";
import { type Aim, type Latencies, loadProgram, openLoop } from "../load.ts";
import type { Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import { type Applied, type Changes, lastRevision, type Pace } from "../v1/changes.ts";
import { agreed, contestants, inTurn, type Servers, staticOf } from "../v1/contestants.ts";
import { apiServerAim, openField } from "../v1/field.ts";
import { aimAt } from "../v1/questions.ts";
import { countWithin } from "../v1/schedule.ts";
import { untilAtRest, untilComplete, untilSeen } from "../v1/until.ts";
import { Writer } from "../v1/writer.ts";
import type { V1Server } from "../v1-peers.ts";

const pagesPerSecond = 20;
const usualChanges = 200;

/**
 * Pods change 200 times a second, unless told: first what that costs who keeps them, then pages of 100 that are asked for at a rate meanwhile. The changes are patches
 * to the real API server that were made once, and are played from what its watches told then, so that it is not the API server and etcd that the
 * pages wait for. Each server is alone in its turn, for all that keep Pods pay for changes.
 */
export const churn: Scenario = {
  name: "churn",
  about: `pages of 100 of /v1/pods at ${pagesPerSecond} per second, open loop, while changes (CHANGES per second, ${usualChanges} unless told) are applied`,
  apart: true,
  run: async (bench) => {
    await loadProgram(bench.say);
    const pace = { perSecond: bench.changes ?? usualChanges, time: bench.time ?? 20_000 };
    await using field = await openField({ ...bench, replay: bench.replay ?? true }, "bench-churn");
    await using writer = new Writer(field);
    const { starts, missing } = await contestants(bench, field);
    const { n, plane, replay } = field;
    const record = (servers: Servers): Promise<void> => recordChanges(bench, servers, writer, pace);
    const body = await agreed(bench, { starts, n }, replay && record);
    await replay?.hold();
    const changes = replay ?? writer;
    const rewind = async (): Promise<void> => await replay?.rewind();
    const apiServer = await apiServerAim(plane);
    const rounds = await interleave(bench, {
      ...inTurn(starts, (server) => measure(bench, server, { n, changes, pace }), rewind),
      static: async () => {
        await rewind();
        await using server = await staticOf(field, body);
        return await timePages(aimAt(server, "id", n), { changes, pace });
      },
      "kube-apiserver": () => timePages(apiServer, { changes: writer, pace }),
    });
    return { n, rounds, targets, missing, replayed: replay !== undefined } satisfies Outcome;
  },
};

/** Changes that come at a rate. */
interface Coming {
  readonly changes: Changes;
  readonly pace: Pace;
}

/** Changes and pages come so long before they count, so that all have warm caches and compiled code; milliseconds. */
const warmUp = 5000;

/** Makes as many changes as one turn takes, however long the API server needs, and resolves once all servers have seen them. */
async function recordChanges(
  { say }: Surroundings,
  { drover, steve }: Servers,
  writer: Writer,
  { perSecond, time }: Pace,
): Promise<void> {
  const wanted = countWithin(2 * (warmUp + time), perSecond);
  let last = 0;
  for (let made = 0; made < wanted; ) {
    say(`${made} of ${wanted} changes are made`);
    const missing = ((wanted - made) * 1000) / perSecond;
    const applied = await writer.apply({ perSecond, time: missing });
    made += applied.changes.length;
    last = lastRevision(applied);
  }
  for (const server of [drover, ...(steve === undefined ? [] : [steve])])
    await untilSeen(server, last);
}

const targets: Outcome["targets"] = [
  { subject: "drover", figure: "p99_ms", limit: 30 },
  { subject: "drover", peer: "steve", figure: "cpu_ms_per_change", limit: 0.1 },
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
  { subject: "drover", figure: "stall_max_ms", limit: 50 },
];

async function measure(
  bench: Surroundings,
  server: V1Server,
  { n, ...coming }: Coming & { readonly n: number },
): Promise<Figures> {
  await untilComplete(server, n);
  await untilAtRest(server);
  const perChange = await costOfChanges(server, coming, bench.idle ?? 5000);
  const stalls = stallsOf(server.subject);
  const pages = await timePages(aimAt(server, "id", n), coming);
  const stall_max_ms = await stalls?.();
  const { rss_mb, rss_peak_mb } = server.subject.cost();
  return {
    ...{ ...perChange, ...pages, rss_mb, rss_peak_mb },
    ...(stall_max_ms !== undefined && { stall_max_ms }),
  };
}

/** CPU of a server until it has seen all changes, without what it takes while nothing happens. */
async function costOfChanges(
  server: V1Server,
  { changes, pace }: Coming,
  idle: number,
): Promise<Figures> {
  await untilSeen(server, lastRevision(await changes.apply({ ...pace, time: warmUp })));
  const before = server.subject.cost();
  await new Promise((resolve) => setTimeout(resolve, idle)); // measured: what rest costs in this time
  const begin = server.subject.cost();
  const idleRate = (begin.cpu_s - before.cpu_s) / (begin.wall_s - before.wall_s);

  const applied = await changes.apply(pace);
  await untilSeen(server, lastRevision(applied));

  const end = server.subject.cost();
  const cpu = end.cpu_s - begin.cpu_s - idleRate * (end.wall_s - begin.wall_s);
  return { cpu_ms_per_change: (cpu * 1000) / applied.changes.length };
}

/** Pages at a rate while the Pods change; both processes have their own loop. */
async function timePages(aim: Aim, coming: Coming): Promise<Figures> {
  await pagesWhile(aim, { ...coming, pace: { ...coming.pace, time: warmUp } });
  const [{ p50, p95, p99 }, applied] = await pagesWhile(aim, coming);
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99, changes_per_s: applied.perSecond };
}

function pagesWhile(aim: Aim, { changes, pace }: Coming): Promise<[Latencies, Applied]> {
  const bounds = { requests: Number.POSITIVE_INFINITY, time: pace.time };
  return Promise.all([openLoop(aim, pagesPerSecond, bounds), changes.apply(pace)]);
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
