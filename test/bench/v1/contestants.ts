/** Who takes part: ours, Steve, and what Node costs when it only sends. */

import { fetchBytes } from "../answers.ts";
import type { Surroundings } from "../bench.ts";
import type { Aim } from "../load.ts";
import type { Figures } from "../stats.ts";
import {
  type Page,
  startOurs,
  startStatic,
  startSteve,
  steveProgram,
  type V1Server,
} from "../v1-peers.ts";
import type { Field } from "./field.ts";
import { aimAt, mustAgree, packed } from "./questions.ts";
import { untilComplete } from "./until.ts";

/** How to start a server of /v1 on the field, by the name of the subject. */
export interface Starts {
  readonly drover: () => Promise<V1Server>;
  readonly steve?: () => Promise<V1Server>;
}

/** What is measured of each server alone, in its turn; `before` comes before its start. */
export function inTurn(
  { drover, steve }: Starts,
  measure: (server: V1Server) => Promise<Figures>,
  before?: () => Promise<void>,
): Readonly<Record<string, () => Promise<Figures>>> {
  const alone = (start: () => Promise<V1Server>) => async (): Promise<Figures> => {
    await before?.();
    await using server = await start();
    return await measure(server);
  };
  return { drover: alone(drover), ...(steve && { steve: alone(steve) }) };
}

/** Who can be started, and why others cannot. */
export interface Contestants {
  readonly starts: Starts;
  readonly missing: Readonly<Record<string, string>>;
}

/** Ours and Steve, unless Steve cannot be had. */
export async function contestants(
  { say }: Surroundings,
  { kubeconfigPath, place }: Field,
): Promise<Contestants> {
  const drover = (): Promise<V1Server> => startOurs({ kubeconfigPath }, place);
  const steve = (): Promise<V1Server> => startSteve({ kubeconfigPath }, place);
  try {
    await steveProgram(say);
    return { starts: { drover, steve }, missing: {} };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n").at(-1) ?? "") : String(error);
    return { starts: { drover }, missing: { steve: why } };
  }
}

/** Servers that run at the same time. */
export interface Servers extends AsyncDisposable {
  readonly drover: V1Server;
  readonly steve: V1Server | undefined;
  /** The first page of ours, as it is sent again and again. */
  readonly page: Page;
}

/** Starts all that take part, and throws unless they answer alike. */
export async function startAll(
  bench: Surroundings,
  { starts, n }: { readonly starts: Starts; readonly n: number },
): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const drover = stack.use(await starts.drover());
  await untilComplete(drover, n);
  const steve = bench.wants("steve") ? await starts.steve?.() : undefined;
  if (steve !== undefined) {
    stack.use(steve);
    await untilComplete(steve, n);
    await mustAgree(bench, drover, steve, n);
  }
  const page = await pageOf(aimAt(drover, "id", n));
  const all = stack.move();
  return { drover, steve, page, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/**
 * Throws unless all that take part answer alike; resolves with a page of ours once they have ended, so that each can be measured alone. What is to be
 * done while they run is `meanwhile`.
 */
export async function agreed(
  bench: Surroundings,
  all: { readonly starts: Starts; readonly n: number },
  meanwhile?: (servers: Servers) => Promise<void>,
): Promise<Page> {
  await using servers = await startAll(bench, all);
  await meanwhile?.(servers);
  return servers.page;
}

/** So many answers of as many bytes, one behind the other, and a page is packed as it is from then on: ours packs items one by one once it keeps them, and in one once they are sent again and again. */
const settled = 64;
/** Answers that are asked for at most until it is. */
const patience = 2000;

/**
 * What a server answers when a page is asked for again and again, for `staticOf`: it is to send as many bytes as those who are measured. The path has a query. Each request is one that nobody has sent before, by a parameter that says
 * nothing: within a second the first answer itself could be sent again.
 */
export async function pageOf(aim: Aim): Promise<Page> {
  const anew: Aim = { ...aim, path: (index) => `${aim.path(index)}&settled=${++asked}` };
  return { plain: await fetchBytes(anew, 0), packed: await settledBytes(packed(anew)) };
}

/** Rejects when it never has as many bytes for long enough. */
async function settledBytes(aim: Aim): Promise<Buffer> {
  let alike = 0;
  for (let asked = 0, length = 0; asked < patience; asked++) {
    const bytes = await fetchBytes(aim, 0);
    alike = bytes.length === length ? alike + 1 : 1;
    if (alike === settled) return bytes;
    length = bytes.length;
  }
  throw new Error(`${aim.path(0)} has another length again and again`);
}

/** Requests for pages to send. */
let asked = 0;

/** Bare Node that sends a page. */
export function staticOf({ place }: Field, body: Page): Promise<V1Server> {
  return startStatic(place, body);
}
