/** A cluster of its own with Pods and people, and who takes part on it. */

import { type ControlPlane, startControlPlane } from "@drover/env";
import { type Client, connect, loadConfig } from "kopf-ts";
import type { Surroundings } from "../bench.ts";
import { type Aim, fetchBody } from "../load.ts";
import { createPods } from "../pods.ts";
import type { Figures } from "../stats.ts";
import {
  type Desk,
  desk,
  startOurs,
  startStatic,
  startSteve,
  steveProgram,
  type V1Server,
} from "../v1-peers.ts";
import { type Asked, readAsked } from "./api-server-load.ts";
import { totalOf } from "./bodies.ts";
import { createPeople } from "./people.ts";
import { aimAt, mustAgree } from "./questions.ts";
import { Replay } from "./replay.ts";

/** A cluster of its own. */
export interface Field extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly place: Desk;
  /** Of servers of /v1: the API server's, or that of recorded bytes before it. */
  readonly kubeconfigPath: string;
  readonly replayed: boolean;
  /** Pods there are. */
  readonly n: number;
  /** What servers of /v1, and the API server itself, have asked so far. */
  asked(): Promise<Asked>;
}

/**
 * Starts a control plane with `n` Pods. Its controller manager is stopped then: what changes and what is asked from here on is the work of those that are
 * measured.
 */
export async function openField(bench: Surroundings, name: string): Promise<Field> {
  const n = bench.n ?? 10_000;
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await desk());
  const plane = stack.use(await startControlPlane({ name }));
  const client = stack.use(connect(await loadConfig({ kubeconfig: plane.kubeconfigPath })));
  await createPods(client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
  await createPeople(client);
  await plane.stopProcess("kube-controller-manager");
  const replay = bench.replay ? stack.use(await Replay.start(plane, place)) : undefined;
  const all = stack.move();
  return {
    ...{ plane, client, place, n, replayed: bench.replay },
    kubeconfigPath: replay?.kubeconfigPath ?? plane.kubeconfigPath,
    asked: () => replay?.asked() ?? readAsked(plane),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** How to start a server of /v1 on the field, by the name of the subject. */
export interface Starts {
  readonly drover: () => Promise<V1Server>;
  readonly steve?: () => Promise<V1Server>;
}

/** What is measured of each server alone, in its turn. */
export function inTurn(
  { drover, steve }: Starts,
  measure: (server: V1Server) => Promise<Figures>,
): Readonly<Record<string, () => Promise<Figures>>> {
  const alone = (start: () => Promise<V1Server>) => async (): Promise<Figures> => {
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
  /** The first page of ours. */
  readonly page: Buffer;
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
  const page = await fetchBody(aimAt(drover, "id", n), 0);
  const all = stack.move();
  return { drover, steve, page, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Throws unless all that take part answer alike; resolves with a page of ours once they have ended, so that each can be measured alone. */
export async function agreed(
  bench: Surroundings,
  all: { readonly starts: Starts; readonly n: number },
): Promise<Buffer> {
  await using servers = await startAll(bench, all);
  return servers.page;
}

/** Bare Node that sends a page. */
export function staticOf({ place }: Field, body: Buffer): Promise<V1Server> {
  return startStatic(place, body);
}

/** Milliseconds within which a server must show what there is. */
const patience = 300_000;

/** Asks for the first page, again and again, until it is whole and its total is `n`; rejects when the server ends. */
export async function untilComplete(server: V1Server, n: number): Promise<void> {
  const aim = aimAt(server, "id", n);
  await untilAnswered(server, aim, (body) => totalOf(body) === n);
}

/** Asks until the server has seen a revision of Pods. */
export async function untilSeen(server: V1Server, revision: number): Promise<void> {
  const path = (): string => `/v1/pods?pagesize=1&revision=${revision}`;
  await untilAnswered(server, { ...aimAt(server, "id", 1), path }, () => true);
}

async function untilAnswered(
  { subject }: V1Server,
  aim: Aim,
  isEnough: (body: Buffer) => boolean,
): Promise<void> {
  const deadline = performance.now() + patience;
  for (;;) {
    subject.mustRun();
    const body = await fetchBody(aim, 0).catch(() => undefined); // not there yet: refused, 404, 400 or 503
    if (body !== undefined && isEnough(body)) return;
    if (performance.now() > deadline) throw new Error(`${aim.path(0)} is not complete`);
    await new Promise((resolve) => setTimeout(resolve, 20)); // servers do not say when
  }
}

/** Asks the API server itself, as its garbage collector, which may list everything. */
export async function apiServerHeaders(
  plane: ControlPlane,
): Promise<Readonly<Record<string, string>>> {
  const day = 86_400;
  const token = await plane.serviceAccountToken("kube-system", "generic-garbage-collector", day);
  return { accept: "application/json", authorization: `Bearer ${token}` };
}

/** Asks the API server itself, which knows one order and no numbers of pages: for the first hundred Pods. */
export async function apiServerAim(plane: ControlPlane): Promise<Aim> {
  const headers = await apiServerHeaders(plane);
  return { base: plane.url, headers, path: () => "/api/v1/pods?limit=100" };
}
