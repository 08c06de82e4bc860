/** `drover can`: may somebody do something, and through which bindings. */

import { kinds } from "@drover/crds";
import { accessReads, userAgent } from "@drover/platform";
import { connect, loadConfig, messageOf } from "kopf-ts";
import { reachCluster } from "../clusters.ts";
import { patience, timeoutOf, within } from "../deadline.ts";
import { progressOn } from "../progress.ts";
import { answer, type Findings } from "./answer.ts";
import { fillCaches } from "./caches.ts";
import { type Asked, findOut } from "./find-out.ts";

/** Options of `drover can`. */
export interface CanOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly cluster: string;
  readonly name?: string;
  readonly group?: readonly string[];
  /** Milliseconds for all of it. */
  readonly timeout: number;
}

/** Exit codes: as `kubectl auth can-i`, and one for a question that nobody could answer. */
const codes = { yes: 0, no: 1, failed: 2 } as const;

/** Answers on standard output; resolves with the exit code. */
export async function runCan(
  user: string,
  verb: string,
  resource: string,
  options: CanOptions,
): Promise<number> {
  try {
    const asked = { ...options, user, verb, resource, groups: options.group ?? [] };
    const findings = await findingsFor(asked, options);
    process.stdout.write(`${answer(findings).join("\n")}\n`);
    return findings.allowed ? codes.yes : codes.no;
  } catch (error) {
    process.stderr.write(`drover can: ${messageOf(error)}\n`);
    return codes.failed;
  }
}

async function findingsFor(asked: Asked, options: CanOptions): Promise<Findings> {
  using progress = progressOn(process.stderr);
  using all = timeoutOf(options.timeout);
  const { signal } = all;
  await using hub = connect(await loadConfig(options), { kinds, userAgent, timeout: patience });
  progress.tell(`waiting for cluster ${options.cluster}`);
  await using target = await reachCluster(hub, options.cluster, signal);
  progress.tell("looking at roles and bindings");
  await using caches = await fillCaches(hub, accessReads, signal);
  const places = { hub, target: target.client, cache: caches.cache, signal };
  return await within(signal, () => findOut(asked, places));
}
