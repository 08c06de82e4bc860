import { interleave, type Outcome, type Scenario } from "../bench.ts";
import { loadProgram } from "../load.ts";
import type { Figures } from "../stats.ts";
import { figuresOf, type Loop } from "../v1/closed.ts";
import { contestants, startAll, staticOf } from "../v1/contestants.ts";
import { apiServerAim, type Field, openField } from "../v1/field.ts";
import { measuredApiServer, measuredServer } from "../v1/measured.ts";
import { aimAt, oursAlone, packed, questions } from "../v1/questions.ts";
import { untilAtRest, untilComplete } from "../v1/until.ts";
import type { V1Server } from "../v1-peers.ts";

/** Pages of 100 of all Pods, asked for in several ways by people with different rights, on ten connections; some also in gzip, as browsers ask. */
export const page: Scenario = {
  name: "page",
  about: "pages of 100 of /v1/pods, in several orders, filters and rights",
  apart: true,
  run: async (bench) => {
    await loadProgram(bench.say);
    await using field = await openField(bench, "bench-page");
    const { n, plane } = field;
    const { starts, missing } = await contestants(bench, field);
    // Both run at once: where nothing changes, who is not asked does nothing.
    await using servers = await startAll(bench, { starts, n });
    const { drover, steve } = servers;
    await using fixed = await staticOf(field, servers.page);
    const apiServer = await apiServerAim(plane);
    const itself = measuredApiServer(plane);
    const rounds = await interleave(bench, {
      drover: () => measure(drover, field, [...asked, ...Object.keys(oursAlone)]),
      ...(steve && { steve: () => measure(steve, field, asked) }),
      static: () => measure(fixed, field, ["id", "gzip_id"]),
      "kube-apiserver": () => figuresOf("id", apiServer, itself, loop),
    });
    return { n, rounds, targets, missing, replayed: field.replay !== undefined } satisfies Outcome;
  },
};

/** The answers of these are also asked for in gzip. */
const inGzip = ["id", "anew", "created", "ns50"].map((name) => `gzip_${name}`);
const asked = [...Object.keys(questions), ...inGzip];

const targets: Outcome["targets"] = [
  { subject: "drover", peer: "static", figure: "id_cpu_ms", limit: 2 },
  { subject: "drover", peer: "static", figure: "gzip_id_cpu_ms", limit: 2 },
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
  ...asked.map((name) => ({
    ...{ subject: "drover", peer: "steve", figure: `${name}_cpu_ms`, limit: 0.02 },
  })),
  ...[...asked, ...Object.keys(oursAlone)].map((name) => ({
    ...{ subject: "drover", figure: `${name}_p99_ms`, limit: 15 },
  })),
];

/** Of one question in one round. */
const loop: Loop = {
  connections: 10,
  warmUp: { requests: 2000, time: 5000 },
  bounds: { requests: 2000, time: 8000 },
};

async function measure(
  server: V1Server,
  { n, still }: Pick<Field, "n" | "still">,
  names: readonly string[],
): Promise<Figures> {
  await untilComplete(server, n); // who was not asked for ten minutes reads Pods again, which stand still soon
  await untilAtRest(server);
  using _ = still();
  const all: Record<string, number> = {};
  for (const name of names) {
    const question = name.replace("gzip_", "");
    const aim = aimAt(server, question, n);
    const wanted = question === name ? aim : packed(aim);
    Object.assign(all, await figuresOf(name, wanted, measuredServer(server), loop));
  }
  const { rss_mb, rss_peak_mb } = server.subject.cost();
  return { ...all, rss_mb, rss_peak_mb };
}
