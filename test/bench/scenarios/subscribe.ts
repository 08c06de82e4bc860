import { join } from "node:path";
import { interleave, type Outcome, type Scenario } from "../bench.ts";
import { Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import type { Applied, Pace } from "../v1/changes.ts";
import { contestants, inTurn } from "../v1/contestants.ts";
import { apiServerHeaders, type Field, openField } from "../v1/field.ts";
import type { Observing } from "../v1/observe.ts";
import { headersOf } from "../v1/people.ts";
import { untilAtRest, untilComplete } from "../v1/until.ts";
import { Writer } from "../v1/writer.ts";

/** Observers, and changes per second that they are told of unless asked otherwise: with a thousand, each change is a thousand messages of 10 KB. */
const crowds = [
  { count: 1, perSecond: 20 },
  { count: 100, perSecond: 20 },
  { count: 1000, perSecond: 2 },
] as const;

/** Delay from the API server's answer to a write to the observers of Pods: 1, 100 and 1,000 of them, each on a connection of its own. */
export const subscribe: Scenario = {
  name: "subscribe",
  about: "delay of a change to 1, 100 and 1,000 subscribers, as full objects and as notices",
  apart: true,
  run: async (bench) => {
    const pace = { perSecond: bench.changes, time: bench.time ?? 10_000 };
    await using field = await openField(bench, "bench-subscribe");
    const { n, plane } = field;
    const { starts, missing } = await contestants(bench, field);
    const apiServer = { base: plane.url, headers: await apiServerHeaders(plane) };
    const rounds = await interleave(bench, {
      ...inTurn(starts, async (server) => {
        await untilComplete(server, n);
        await untilAtRest(server);
        const at = { base: server.base, headers: headersOf("admin") };
        const full = await observed(field, { ...at, mode: "" }, pace);
        const notices = await observed(field, { ...at, mode: "resource.changes" }, pace);
        const { cpu_s, rss_peak_mb } = server.subject.cost();
        return { ...full, ...notices, cpu_s, rss_peak_mb };
      }),
      "kube-apiserver": () => observed(field, { ...apiServer, mode: "watch" }, pace),
    });
    return { n, rounds, targets, missing, replayed: field.replay !== undefined } satisfies Outcome;
  },
};

const versus = { subject: "drover", peer: "kube-apiserver", by: "difference" } as const;

const targets: Outcome["targets"] = [
  ...["full_100_p95_ms", "full_100_last_p95_ms"].map((figure) => ({ ...versus, figure, limit: 5 })),
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
  { subject: "drover", figure: "full_1000_missed", limit: 0 },
  { subject: "drover", figure: "notices_1000_missed", limit: 0 },
];

/** A pace that may leave the changes per second to the crowd. */
type Wished = Pick<Pace, "time"> & { readonly perSecond: number | undefined };

async function observed(
  field: Field,
  observing: Omit<Observing, "count">,
  pace: Wished,
): Promise<Figures> {
  const kind = observing.mode === "resource.changes" ? "notices" : "full";
  const all: Record<string, number> = {};
  for (const { count, perSecond: usual } of crowds) {
    const { time, perSecond = usual } = pace;
    const seen = await crowd(field, { ...observing, count }, { perSecond, time });
    for (const [name, value] of Object.entries(seen)) all[`${kind}_${count}_${name}`] = value;
  }
  return all;
}

async function crowd(field: Field, observing: Observing, pace: Pace): Promise<Figures> {
  await using observers = startObservers(observing);
  await observers.event("watching");
  const { changes, perSecond } = await applied(field, pace);
  observers.tell(JSON.stringify(changes));
  const { delays, ended } = await observers.event("seen");
  const { missed, ...times } = delays as Readonly<Record<string, number>>;
  return {
    ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [`${name}_ms`, ms])),
    ...{ missed: missed ?? 0, ended: Number(ended), changes_per_s: perSecond },
  };
}

async function applied(field: Field, pace: Pace): Promise<Applied> {
  await using writer = new Writer(field);
  return await writer.apply(pace);
}

function startObservers(observing: Observing): Subject {
  const argv = [process.execPath, join(import.meta.dirname, "../subjects/observers.js")];
  return new Subject("observers", { argv, env: { BENCH_OBSERVING: JSON.stringify(observing) } });
}
