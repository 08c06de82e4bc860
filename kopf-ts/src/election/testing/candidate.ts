/**
 * A process that stands for election and, while it leads, writes one ConfigMap as fast as it can, each time after asking its lease. Tests
 * start two of them and stop them in every way there is. Tells what it does as JSON lines on standard output.
 */

import { readFileSync } from "node:fs";
import { systemClock } from "../../base/index.ts";
import {
  type Client,
  connect,
  defineKind,
  isConflict,
  type KubeObject,
  loadConfig,
} from "../../kube/index.ts";
import { createLogger } from "../../observe/index.ts";
import { LeaderElection, type Leadership, LeaseLost } from "../index.ts";

/** What a candidate is told, as JSON in the file that its only argument names. */
export interface CandidateOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** A line of standard output; times are of the machine's monotonic clock in milliseconds, the same for all processes. */
export type CandidateEvent =
  | { readonly event: "standing" }
  | { readonly event: "leading"; readonly at: number; readonly token: number }
  | {
      readonly event: "write";
      /** When the write was begun. */
      readonly from: number;
      readonly token: number;
      /** The resourceVersion it produced: the server's order of all writes. */
      readonly version: string;
    }
  | { readonly event: "refused"; readonly at: number; readonly reason: string }
  /** Of a member of a group: who is in it now. */
  | { readonly event: "members"; readonly at: number; readonly ids: readonly string[] }
  | { readonly event: "over"; readonly at: number; readonly how: string };

interface Ledger extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const ConfigMap = defineKind<Ledger>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

const tell = (event: CandidateEvent): void =>
  void process.stdout.write(`${JSON.stringify(event)}\n`);
const machineTime = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Writes until the leadership or `stop` ends it. The ledger is written with its resourceVersion: the precondition of a write in flight. */
async function write(
  client: Client,
  options: CandidateOptions,
  leader: Leadership,
  stop: AbortSignal,
): Promise<void> {
  let ledger = await client.get(ConfigMap, options.name, { namespace: options.namespace });
  while (!stop.aborted) {
    try {
      leader.check();
    } catch (error) {
      return tell({ event: "refused", at: machineTime(), reason: (error as Error).message });
    }
    const from = machineTime();
    const data = { holder: options.identity, token: String(leader.token) };
    try {
      ledger = await client.update({ ...ledger, data }, { signal: leader.signal });
      const version = ledger.metadata.resourceVersion ?? "";
      tell({ event: "write", from, token: leader.token, version });
    } catch (error) {
      if (leader.signal.aborted) continue;
      if (!isConflict(error)) throw error;
      ledger = await client.get(ConfigMap, options.name, { namespace: options.namespace });
    }
  }
}

async function main(): Promise<void> {
  const options: CandidateOptions = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
  const client = connect(await loadConfig({ kubeconfig: options.kubeconfig }));
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  // The pipe ends with the test process, also when that is killed; without this its candidates would go on for ever.
  process.stdin
    .on("end", () => process.exit(1))
    .resume()
    .unref();
  const logger = createLogger({ level: "debug" });
  const election = new LeaderElection(client, { ...options, logger });
  tell({ event: "standing" });
  try {
    await election.run(stop.signal, {
      onStarted: (leader) => {
        tell({ event: "leading", at: machineTime(), token: leader.token });
        return write(client, options, leader, stop.signal);
      },
    });
    tell({ event: "over", at: machineTime(), how: "stopped" });
  } catch (error) {
    const how = error instanceof LeaseLost ? "lost" : `failed: ${String(error)}`;
    tell({ event: "over", at: machineTime(), how });
    process.exitCode = how === "lost" ? 75 : 1;
  }
  await systemClock.sleep(0);
  await client[Symbol.asyncDispose]();
}

await main();
