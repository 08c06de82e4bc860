import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { fetchBytes } from "../answers.ts";
import { interleave, type Outcome, type Scenario } from "../bench.ts";
import { type Aim, loadProgram } from "../load.ts";
import type { Figures } from "../stats.ts";
import { figuresOf, type Loop } from "../v1/closed.ts";
import { contestants, startAll, staticOf } from "../v1/contestants.ts";
import { type Field, openField } from "../v1/field.ts";
import { measuredServer } from "../v1/measured.ts";
import { headersOf } from "../v1/people.ts";
import { packed } from "../v1/questions.ts";
import type { V1Server } from "../v1-peers.ts";

/** Lists of more than a page: of 1,000 Pods on two connections, and of all on one, as they are and in gzip. */
export const list: Scenario = {
  name: "list",
  about: "1,000 Pods, and all, in one answer of /v1/pods",
  apart: true,
  run: async (bench) => {
    await loadProgram(bench.say);
    await using field = await openField(bench, "bench-list");
    const { n } = field;
    const { starts, missing } = await contestants(bench, field);
    await using servers = await startAll(bench, { starts, n });
    const { drover, steve } = servers;
    await using stack = new AsyncDisposableStack();
    const fixed: Record<string, V1Server> = {};
    for (const name of Object.keys(lists))
      fixed[name] = stack.use(await sends(field, aimAt(drover, name)));
    const rounds = await interleave(bench, {
      drover: () => measure(() => drover),
      ...(steve && { steve: () => measure(() => steve) }),
      static: () => measure((name) => fixed[name]),
    });
    return { n, rounds, targets, missing, replayed: field.replay !== undefined } satisfies Outcome;
  },
};

/** What is asked for, and how. */
interface Asked extends Loop {
  readonly path: string;
}

const lists: Readonly<Record<string, Asked>> = {
  thousand: {
    path: "/v1/pods?pagesize=1000",
    connections: 2,
    warmUp: { requests: 50, time: 5000 },
    bounds: { requests: 200, time: 8000 },
  },
  all: {
    path: "/v1/pods",
    connections: 1,
    warmUp: { requests: 4, time: 5000 },
    bounds: { requests: 10, time: 8000 },
  },
};

const targets: Outcome["targets"] = Object.keys(lists)
  .flatMap((name) => [name, `gzip_${name}`])
  .map((name) => ({
    ...{ subject: "drover", peer: "static", figure: `${name}_cpu_ms`, limit: 2 },
  }));

function aimAt({ base }: Pick<V1Server, "base">, name: string): Aim {
  return { base, headers: headersOf("admin"), path: () => lists[name]?.path ?? "" };
}

/** Bare Node that sends what ours answers to those who have asked before: then items are packed each for itself, and take more than in one. */
async function sends(field: Field, aim: Aim): Promise<V1Server> {
  const last = async (each: Aim): Promise<Buffer> => {
    await fetchBytes(each, 0);
    await fetchBytes(each, 0);
    return fetchBytes(each, 0);
  };
  const body = { plain: await last(aim), packed: await last(packed(aim)) };
  if (idsIn(gunzipSync(body.packed)) !== idsIn(body.plain)) throw new Error("gzip differs");
  return staticOf(field, body);
}

/** A digest of the ids, in order: a body may be longer than a text can be. */
function idsIn(body: Buffer): string {
  const digest = createHash("sha256");
  for (let at = body.indexOf(behindId); at >= 0; at = body.indexOf(behindId, at + 1))
    digest.update(body.subarray(body.lastIndexOf('"id":', at), at));
  return digest.digest("hex");
}

const behindId = ',"type":"pod","links":{';

async function measure(serverOf: (name: string) => V1Server | undefined): Promise<Figures> {
  const all: Record<string, number> = {};
  for (const [name, loop] of Object.entries(lists)) {
    const server = serverOf(name);
    if (server === undefined) throw new Error(`nobody answers ${name}`);
    const aim = aimAt(server, name);
    const measured = measuredServer(server);
    Object.assign(all, await figuresOf(name, aim, measured, loop));
    Object.assign(all, await figuresOf(`gzip_${name}`, packed(aim), measured, loop));
    Object.assign(all, { [`${name}_rss_peak_mb`]: server.subject.cost().rss_peak_mb });
  }
  return all;
}
