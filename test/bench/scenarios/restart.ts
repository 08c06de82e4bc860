import { interleave, type Outcome, type Scenario } from "../bench.ts";
import type { Figures } from "../stats.ts";
import { between } from "../v1/api-server-load.ts";
import { agreed, contestants, type Starts, staticOf } from "../v1/contestants.ts";
import { type Field, openField } from "../v1/field.ts";
import { untilComplete } from "../v1/until.ts";
import type { V1Server } from "../v1-peers.ts";

/** A server is killed and started again: from the start of its process to the first page of 100 whose total is that of all Pods. */
export const restart: Scenario = {
  name: "restart",
  about: "kill -9 and start: to the first complete page of /v1/pods",
  apart: true,
  run: async (bench) => {
    await using field = await openField(bench, "bench-restart");
    const { n } = field;
    const { starts, missing } = await contestants(bench, field);
    const body = await agreed(bench, { starts, n });
    const { drover, steve } = starts;
    const rounds = await interleave(bench, {
      drover: () => measure(field, drover),
      ...(steve && { steve: () => measure(field, steve) }),
      static: () => measure(field, () => staticOf(field, body)),
    });
    return { n, rounds, targets, missing, replayed: field.replay !== undefined } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", peer: "steve", figure: "complete_s", limit: 0.125 },
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
];

async function measure(field: Field, start: Starts["drover"]): Promise<Figures> {
  const { n } = field;
  await killed(await start(), n);
  const before = await field.asked();
  await using server = await start();
  await untilComplete(server, n);
  const { wall_s, cpu_s, rss_peak_mb } = server.subject.cost();
  const { requests, bytes } = between(before, await field.asked());
  return { complete_s: wall_s, cpu_s, rss_peak_mb, requests, asked_mb: bytes / 1e6 };
}

/** What it leaves behind is what the next one finds. */
async function killed(server: V1Server, n: number): Promise<void> {
  await using running = server;
  await untilComplete(running, n);
  await running.subject.end("SIGKILL");
}
