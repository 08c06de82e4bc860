/** `drover server` as a subject, and what the API servers' audit logs say of it. */

import { join } from "node:path";
import type { ControlPlane } from "@drover/env";
import { userAgent as ours } from "@drover/platform";
import type { KubeObject } from "kopf-ts";
import type { Audited, AuditLog } from "./audit-log.ts";
import type { Bench } from "./bench.ts";
import { Subject } from "./process.ts";

const main = join(import.meta.dirname, "../../../server/dist/main.js");

/** Every port but that of webhooks is the system's choice. */
const anyPorts = ["--https-listen-port=0", "--http-listen-port=0", "--metrics-listen-addr=0"];

/** Starts a server on a control plane; with the same port for webhooks, a second start finds their configurations in order. */
export function serve({ kubeconfigPath }: ControlPlane, webhookPort = 0): Subject {
  const ports = [...anyPorts, `--webhook-listen-port=${webhookPort}`];
  const argv = [process.execPath, main, "server", `--kubeconfig=${kubeconfigPath}`, ...ports];
  return new Subject("drover", { argv: [...argv, "--log-level=warn"] });
}

/** Starts `drover dev` in a folder, with a control plane of its own that it ends as well: it gets the time for that. */
export function dev(cwd: string): Subject {
  const argv = [process.execPath, main, "dev", ...anyPorts, "--webhook-listen-port=0"];
  return new Subject("drover", { argv, cwd, patience: 60_000 });
}

/** Requests of ours but leases and watches. */
export function isOurs({ userAgent, verb, resource }: Audited): boolean {
  return userAgent === ours && verb !== "watch" && resource !== "leases";
}

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Questions, which store nothing. */
const questions = new Set(["subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews"]);

/** Whether a request of ours changed something that is no Event. */
export function isWrite(asked: Audited): boolean {
  const { verb, resource } = asked;
  return isOurs(asked) && writing.has(verb) && resource !== "events" && !questions.has(resource);
}

/** What a server did until it came to rest. */
export interface Work {
  /** When it began, milliseconds since the epoch. */
  readonly started: number;
  /** When the last write came; `started` where nothing was written. */
  readonly last: number;
  readonly writes: readonly Audited[];
}

/** When a server counts as at rest; in milliseconds. */
export interface Rest {
  /** So long nothing was written. */
  readonly silence: number;
  /** From one look at the logs to the next. */
  readonly pace: number;
}

/** After a start or a crowd of changes, in which there are pauses: caches are filled, roles are resolved. */
export const restAfterMany: Rest = { silence: 10_000, pace: 1000 };

/** After one change. */
export const restAfterOne: Rest = { silence: 1500, pace: 100 };

/** What is waited for, and who hears of it. */
export interface Watched extends Rest {
  /** When the work began, milliseconds since the epoch; with our first request unless told, since a server that is just starting asks nothing yet. */
  readonly since?: number;
  readonly say?: Bench["say"];
}

/** Waits until nothing was written for a while, to any of the API servers; rejects when the server ends. */
export async function untilSilent(
  server: Subject,
  logs: readonly AuditLog[],
  { silence, pace, since = 0, say }: Watched,
): Promise<Work> {
  let [started, last] = [since, since];
  const writes: Audited[] = [];
  do {
    await new Promise((resolve) => setTimeout(resolve, pace)); // that nothing is written any more is told by nothing
    server.mustRun();
    const asked = (await Promise.all(logs.map((log) => log.read()))).flat().filter(isOurs);
    if (asked.length > 0) started ||= Math.min(...asked.map(({ time }) => time));
    const done = asked.filter(isWrite);
    writes.push(...done);
    last = Math.max(last, started, ...done.map(({ time }) => time));
    if (done.length > 0)
      say?.(`  ${writes.length} writes after ${Math.round((last - started) / 1000)} s`);
  } while (last === 0 || Date.now() - last < silence);
  return { started, last, writes };
}

/** Which writes there were, the most frequent first: `312 create rolebindings`. */
export function tally(writes: readonly Audited[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { verb, resource, uri } of writes) {
    const what = `${verb} ${resource}${/\/status\b/.test(uri) ? "/status" : ""}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `${count} ${what}`);
}

/** Runs so many pieces of work, some at once. */
export async function inParallel(
  n: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < n; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** What a kind says of itself. */
interface Named {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An object of ours, as somebody would apply it. */
export function made(
  { group, version, kind }: Named,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  namespace?: string,
): KubeObject {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion, kind, metadata, ...fields };
}
