import { interleave, type Outcome, type Scenario, type Surroundings } from "../bench.ts";
import { type Aim, type Bounds, type Walks, walks } from "../load.ts";
import { undisturbed } from "../others.ts";
import type { Figures } from "../stats.ts";
import { amounts, createConfigMaps, namespaceWith } from "../v1/config-maps.ts";
import { contestants, pageOf, startAll, staticOf } from "../v1/contestants.ts";
import { apiServerHeaders, type Field, openField } from "../v1/field.ts";
import { type Measured, measuredApiServer, measuredServer } from "../v1/measured.ts";
import { headersOf, walkers } from "../v1/people.ts";
import { packed, pageSize, shown } from "../v1/questions.ts";
import type { V1Server } from "../v1-peers.ts";

/** Walks of each user through all pages, as many as dartboard's users make. */
const times = 30;

/** Ten users, whose rights differ, walk through all pages of 100, at once and again and again: of all Pods, and of 100, 400, 1,600 and 6,400 ConfigMaps of 10 KiB, as they are and in gzip. */
export const userMix: Scenario = {
  name: "user_mix",
  about: `10 users walk through all pages ${times} times, or until the time is over (SECONDS, 30 unless told)`,
  apart: true,
  run: async (bench) => {
    const bounds = { requests: times, time: bench.time ?? 30_000 };
    await using field = await openField(bench, "bench-user-mix");
    const { n, plane, client } = field;
    bench.say("creating ConfigMaps");
    await createConfigMaps(client);
    const { starts, missing } = await contestants(bench, field);
    await using servers = await startAll(bench, { starts, n });
    const { drover, steve } = servers;
    if (steve !== undefined) await mustAgreeOnMaps(bench, drover, steve);
    await using fixed = bench.wants("static") ? await startFixed(field, drover) : undefined;
    const headers = await apiServerHeaders(plane);
    const apiServer = walkers.map(() => headers);
    const measured = measuredApiServer(plane);
    const rounds = await interleave(bench, {
      drover: () => measure(drover, mix, bounds),
      ...(steve && { steve: () => measure(steve, mix, bounds) }),
      ...(fixed && { static: () => fixed.measure(bounds) }),
      "kube-apiserver": () =>
        walked(mix, measured, {
          ...{ base: plane.url, bounds, headers: apiServer, by: "continue" },
          pathOf: (things) => `/api/v1/${things.plain}`,
        }),
    });
    return { n, rounds, targets, missing, replayed: field.replay !== undefined } satisfies Outcome;
  },
};

/** What is walked through: its path in a /v1, and that of the API server, both without their beginning. */
interface Things {
  readonly name: string;
  readonly v1: string;
  readonly plain: string;
  readonly headers?: Aim["headers"];
}

const plain: readonly Things[] = [
  { name: "pods", v1: "pods", plain: "pods" },
  ...amounts.map((amount) => ({
    name: `maps${amount}`,
    v1: `configmaps/${namespaceWith(amount)}`,
    plain: `namespaces/${namespaceWith(amount)}/configmaps`,
  })),
];
const gzip = { "accept-encoding": "gzip" };
const mix = plain.flatMap((things) => [
  things,
  { ...things, name: `gzip_${things.name}`, headers: gzip },
]);

/** Amounts whose walks are so short that what a server does once weighs as much as its pages: what sending alone costs is measured for these as well. */
const few = amounts.filter((amount) => amount <= 400);
const mixOf = (amount: number): readonly Things[] =>
  mix.filter(({ v1 }) => v1 === `configmaps/${namespaceWith(amount)}`);

const targets: Outcome["targets"] = [
  { subject: "drover", peer: "steve", figure: "rss_peak_mb", limit: 0.334 },
  ...mix.flatMap(({ name }) => [
    { subject: "drover", peer: "steve", figure: `${name}_cpu_ms`, limit: 0.02 },
    { subject: "drover", peer: "steve", figure: `${name}_p95_ms`, limit: 1 },
  ]),
  ...few.flatMap(mixOf).map(({ name }) => ({
    ...{ subject: "drover", peer: "static", figure: `${name}_cpu_ms`, limit: 2 },
  })),
];

/** A wrong answer is not fast: the last page of each amount must be the same, also in gzip, and so must its total. */
async function mustAgreeOnMaps(
  { say }: Surroundings,
  ours: V1Server,
  theirs: V1Server,
): Promise<void> {
  for (const amount of amounts) {
    say(`comparing ${amount} ConfigMaps`);
    const headers = headersOf(walkers[0] ?? "");
    const path = (): string =>
      `/v1/configmaps/${namespaceWith(amount)}?pagesize=100&page=${amount / 100}`;
    const aims = [ours, theirs].map(({ base }) => ({ base, headers, path }));
    const [a, ...others] = await Promise.all(
      [...aims, ...aims.map(packed)].map((aim) => shown(aim, 0)),
    );
    if (others.some((other) => other !== a))
      throw new Error(`${amount} ConfigMaps: the answers differ`);
    if (a?.startsWith(`[${amount},`) !== true) throw new Error(`these are not ${amount}: ${a}`);
  }
}

/** Bare Nodes, one for each of the few amounts. */
interface Fixed extends AsyncDisposable {
  measure(bounds: Bounds): Promise<Figures>;
}

/** They send everybody the first page of ours, as often as the walk has pages; warm, as ours is once it has served Pods. */
async function startFixed(field: Field, { base }: V1Server): Promise<Fixed> {
  await using stack = new AsyncDisposableStack();
  const all: (readonly [things: readonly Things[], server: V1Server])[] = [];
  for (const amount of few) {
    const query = `pagesize=${pageSize}&page=1`;
    const path = (): string => `/v1/configmaps/${namespaceWith(amount)}?${query}`;
    const page = await pageOf({ base, headers: headersOf(walkers[0] ?? ""), path });
    const server = stack.use(await staticOf(field, page));
    const walking = walkingOn(server, warmUp);
    for (const things of mixOf(amount)) await walk(things, measuredServer(server), walking);
    all.push([mixOf(amount), server]);
  }
  const servers = stack.move();
  return {
    async measure(bounds) {
      const figures: Record<string, number> = {};
      for (const [things, server] of all)
        Object.assign(figures, await measure(server, things, bounds));
      return figures;
    },
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  };
}

/** Walks of each user before anything counts. */
const warmUp: Bounds = { requests: 200, time: 5000 };

async function measure(
  server: V1Server,
  things: readonly Things[],
  bounds: Bounds,
): Promise<Figures> {
  const figures = await walked(things, measuredServer(server), walkingOn(server, bounds));
  return { ...figures, rss_peak_mb: server.subject.cost().rss_peak_mb };
}

/** Everybody, on a /v1. */
function walkingOn({ base }: V1Server, bounds: Bounds): Walking {
  const pathOf = ({ v1 }: Things): string => `/v1/${v1}`;
  return { base, bounds, headers: walkers.map(headersOf), by: "page", pathOf };
}

/** Who walks where. */
interface Walking extends Pick<Walks, "base" | "headers" | "by"> {
  readonly bounds: Bounds;
  readonly pathOf: (things: Things) => string;
}

/** Walks again through what was disturbed; rejects when it always is. */
async function walked(
  all: readonly Things[],
  measured: Measured,
  walking: Walking,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const things of all) {
    const found = await undisturbed(measured.pids, () => walk(things, measured, walking));
    for (const [name, value] of Object.entries(found)) figures[`${things.name}_${name}`] = value;
  }
  return figures;
}

async function walk(
  things: Things,
  { cpu }: Measured,
  { headers: walkers, bounds, pathOf, ...who }: Walking,
): Promise<Figures> {
  const headers = walkers.map((each) => ({ ...each, ...things.headers }));
  const before = cpu();
  const walking = { ...who, headers, path: pathOf(things), pageSize };
  const { p50, p95, max, count } = await walks(walking, bounds);
  const cpu_ms = ((cpu() - before) * 1000) / count;
  return { cpu_ms, p50_ms: p50, p95_ms: p95, max_ms: max, pages: count };
}
