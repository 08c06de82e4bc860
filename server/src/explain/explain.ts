/** `drover explain`: what follows from an object, what of it exists, and what is not as it should be. */

import { kinds } from "@drover/crds";
import { downstream, management, ownIdentity, type Surroundings } from "@drover/operators";
import { userAgent } from "@drover/platform";
import { type Client, connect, type KubeObject, loadConfig, messageOf } from "kopf-ts";
import { patience, timeoutOf } from "../deadline.ts";
import { progressOn } from "../progress.ts";
import { assignmentsOf, objectOf } from "./assignments.ts";
import { rehearseAll } from "./rehearsals.ts";
import { type Part, report, type Verdict } from "./report.ts";
import { readTarget } from "./target.ts";

/** Options of `drover explain`. */
export interface ExplainOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  /** Only what follows in this cluster. */
  readonly cluster?: string;
  readonly features: Surroundings["features"];
  /** Milliseconds for all of it. */
  readonly timeout: number;
}

/** Exit codes: a difference that was found counts more than what could not be told. */
const codes: Readonly<Record<Verdict, number>> = { "in order": 0, differs: 1, unknown: 2 };

/** Says it on standard output; resolves with the exit code. Writes nothing to any cluster. */
export async function runExplain(text: string, options: ExplainOptions): Promise<number> {
  try {
    const { object, parts } = await explained(text, options);
    const { lines, verdict } = report(object, parts);
    process.stdout.write(`${lines.join("\n")}\n`);
    return codes[verdict];
  } catch (error) {
    process.stderr.write(`drover explain: ${messageOf(error)}\n`);
    return codes.unknown;
  }
}

async function explained(
  text: string,
  options: ExplainOptions,
): Promise<{ readonly object: KubeObject; readonly parts: readonly Part[] }> {
  const target = readTarget(text, options.namespace);
  using progress = progressOn(process.stderr);
  using all = timeoutOf(options.timeout);
  await using connected = connect(await loadConfig(options), {
    kinds,
    userAgent,
    timeout: patience,
  });
  // As the server itself, so that dry runs pass the webhooks as its writes do.
  const hub: Client = connected.as(ownIdentity);
  const surroundings = { env: process.env, features: options.features, restart: () => undefined };
  const concerns = { management: management(surroundings), downstream: downstream(surroundings) };
  const around = { hub, concerns, only: options.cluster, signal: all.signal };
  progress.tell("looking for the object");
  const object = await objectOf(target, around);
  const assignments = await assignmentsOf(object, target.kind, around);
  const parts = await rehearseAll(object, assignments, {
    ...around,
    progress: (answered, clusters) =>
      progress.tell(`${answered} of ${clusters} clusters have been looked at`),
  });
  return { object, parts };
}
