/** `drover can`: may somebody do something, and through which bindings. */

import { kinds } from "@drover/crds";
import { accessReads } from "@drover/platform";
import { connect, loadConfig, messageOf } from "kopf-ts";
import { reachCluster } from "../clusters.ts";
import { answer } from "./answer.ts";
import { fillCaches } from "./caches.ts";
import { findOut } from "./find-out.ts";

/** Options of `drover can`. */
export interface CanOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly cluster: string;
  readonly name?: string;
  readonly group?: readonly string[];
}

/** Exit codes: as `kubectl auth can-i`, and one for a question that nobody could answer. */
const codes = { yes: 0, no: 1, failed: 2 } as const;

/** Milliseconds for all of it. */
const patience = 60_000;

/** Answers on standard output; resolves with the exit code. */
export async function runCan(
  user: string,
  verb: string,
  resource: string,
  options: CanOptions,
): Promise<number> {
  try {
    const signal = AbortSignal.timeout(patience);
    await using hub = connect(await loadConfig(options), { kinds });
    await using target = await reachCluster(hub, options.cluster);
    await using caches = await fillCaches(hub, accessReads, signal);
    const asked = { ...options, user, verb, resource, groups: options.group ?? [] };
    const findings = await findOut(asked, {
      hub,
      target: target.client,
      cache: caches.cache,
      signal,
    });
    process.stdout.write(`${answer(findings).join("\n")}\n`);
    return findings.allowed ? codes.yes : codes.no;
  } catch (error) {
    process.stderr.write(`drover can: ${messageOf(error)}\n`);
    return codes.failed;
  }
}
