import { fetchBody } from "../answers.ts";
import { interleave, type Outcome, type Scenario } from "../bench.ts";
import type { Aim } from "../load.ts";
import type { Figures } from "../stats.ts";
import { between } from "../v1/api-server-load.ts";
import { contestants, inTurn } from "../v1/contestants.ts";
import { type Field, openField } from "../v1/field.ts";
import { headersOf } from "../v1/people.ts";
import { untilAtRest, untilComplete } from "../v1/until.ts";
import type { V1Server } from "../v1-peers.ts";

/** Every type is watched, nothing is asked and nothing changes: what that costs. `nobody` is what the API server asks itself meanwhile. */
export const idle: Scenario = {
  name: "idle",
  about: "all types listed once, then nothing is asked (IDLE_S seconds, 120 unless told)",
  apart: true,
  run: async (bench) => {
    const time = bench.idle ?? 120_000;
    await using field = await openField(bench, "bench-idle");
    const { starts, missing } = await contestants(bench, field);
    const rounds = await interleave(bench, {
      ...inTurn(starts, (server) => measure(field, server, time)),
      nobody: () => askedWhile(field, time),
    });
    return {
      n: field.n,
      rounds,
      targets,
      missing,
      replayed: field.replay !== undefined,
    } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", peer: "steve", figure: "cpu_s", limit: 1 },
  { subject: "drover", peer: "steve", figure: "rss_mb", limit: 0.334 },
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
];

async function measure(field: Field, server: V1Server, time: number): Promise<Figures> {
  await untilComplete(server, field.n);
  const types = await listAll(server);
  await untilAtRest(server);
  const before = server.subject.cost();
  const asked = await askedWhile(field, time);
  const { cpu_s, rss_mb, rss_peak_mb } = server.subject.cost();
  return { types, cpu_s: cpu_s - before.cpu_s, rss_mb, rss_peak_mb, ...asked };
}

async function askedWhile(field: Field, time: number): Promise<Figures> {
  const before = await field.asked();
  await new Promise((resolve) => setTimeout(resolve, time)); // measured: what is asked in this time
  const { requests, bytes } = between(before, await field.asked());
  return { requests, asked_mb: bytes / 1e6 };
}

/** Lists every type once, so that it is watched from then on; resolves with how many there are. */
async function listAll({ base }: V1Server): Promise<number> {
  const aim = (path: string): Aim => ({ base, headers: headersOf("admin"), path: () => path });
  const { data } = JSON.parse(String(await fetchBody(aim("/v1/schemas"), 0)));
  const types = (data as readonly Schema[]).filter(isWatched);
  for (const { id } of types) await fetchBody(aim(`/v1/${id}?pagesize=1`), 0);
  return types.length;
}

/** What is needed of a schema. */
interface Schema {
  readonly id: string;
  readonly attributes?: { readonly verbs?: readonly string[] };
}

function isWatched({ attributes }: Schema): boolean {
  const verbs = attributes?.verbs ?? [];
  return verbs.includes("list") && verbs.includes("watch");
}
