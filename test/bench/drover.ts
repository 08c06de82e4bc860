/** `drover server` as a subject, and what the API servers' audit logs say of it. */

import { join } from "node:path";
import type { ControlPlane } from "@drover/env";
import type { KubeObject } from "kopf-ts";
import type { Audited, AuditLog } from "./audit-log.ts";
import type { Bench } from "./bench.ts";
import { Subject } from "./process.ts";

const main = join(import.meta.dirname, "../../../server/dist/main.js");

/** So long nothing may be written before the work counts as done, in milliseconds. */
const silence = 10_000;

/** Starts a server on a control plane; with the same port for webhooks, a second start finds their configurations in order. */
export function serve({ kubeconfigPath }: ControlPlane, webhookPort = 0): Subject {
  const ports = [
    ...["--https-listen-port=0", "--http-listen-port=0"],
    `--webhook-listen-port=${webhookPort}`,
  ];
  const argv = [process.execPath, main, "server", `--kubeconfig=${kubeconfigPath}`, ...ports];
  return new Subject("drover", { argv: [...argv, "--metrics-listen-addr=0", "--log-level=warn"] });
}

/** Requests of ours but leases and watches. */
export function isOurs({ userAgent, verb, resource }: Audited): boolean {
  return userAgent.startsWith("kopf-ts/") && verb !== "watch" && resource !== "leases";
}

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Questions, which store nothing. */
const questions = new Set(["subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews"]);

/** Whether a request of ours changed something that is no Event. */
export function isWrite(asked: Audited): boolean {
  const { verb, resource } = asked;
  return isOurs(asked) && writing.has(verb) && resource !== "events" && !questions.has(resource);
}

/** What a start did until it came to rest. */
export interface Start {
  /** When the first request came, milliseconds since the epoch. */
  readonly started: number;
  /** When the last write came; `started` where nothing was written. */
  readonly last: number;
  readonly writes: readonly Audited[];
}

/** Waits until nothing was written for a while, to any of the API servers. */
export async function untilSilent(
  { say }: Pick<Bench, "say">,
  logs: readonly AuditLog[],
): Promise<Start> {
  let [started, last] = [0, 0];
  const writes: Audited[] = [];
  while (last === 0 || Date.now() - last < silence) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const asked = (await Promise.all(logs.map((log) => log.read()))).flat().filter(isOurs);
    started ||= Math.min(...asked.map(({ time }) => time), Number.POSITIVE_INFINITY);
    if (started === Number.POSITIVE_INFINITY) started = 0;
    const done = asked.filter(isWrite);
    writes.push(...done);
    last = Math.max(last, started, ...done.map(({ time }) => time));
    if (done.length > 0)
      say(`  ${writes.length} writes after ${Math.round((last - started) / 1000)} s`);
  }
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
