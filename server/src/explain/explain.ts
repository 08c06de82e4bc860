/** `drover explain`: what follows from an object, what of it exists, and what is not as it should be. */

import { kinds } from "@drover/crds";
import { downstream, management, ownIdentity, type Surroundings } from "@drover/operators";
import { type Client, connect, loadConfig, messageOf } from "kopf-ts";
import { rehearseAll } from "./rehearsals.ts";
import { report } from "./report.ts";
import { readTarget } from "./target.ts";

/** Options of `drover explain`. */
export interface ExplainOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  /** Only what follows in this cluster. */
  readonly cluster?: string;
  readonly features: Surroundings["features"];
}

/** Exit codes, as of `diff`. */
const codes = { inOrder: 0, differs: 1, failed: 2 } as const;

/** Says it on standard output; resolves with the exit code. Writes nothing to any cluster. */
export async function runExplain(text: string, options: ExplainOptions): Promise<number> {
  try {
    const target = readTarget(text, options.namespace);
    await using connected = connect(await loadConfig(options), { kinds });
    // As the server itself, so that dry runs pass the webhooks as its writes do.
    const hub: Client = connected.as(ownIdentity);
    const surroundings = { env: process.env, features: options.features, restart: () => undefined };
    const concerns = { management: management(surroundings), downstream: downstream(surroundings) };
    const { object, parts } = await rehearseAll(target, { hub, concerns, only: options.cluster });
    const { lines, inOrder } = report(object, parts);
    process.stdout.write(`${lines.join("\n")}\n`);
    return inOrder ? codes.inOrder : codes.differs;
  } catch (error) {
    process.stderr.write(`drover explain: ${messageOf(error)}\n`);
    return codes.failed;
  }
}
