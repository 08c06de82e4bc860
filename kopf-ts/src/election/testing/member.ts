/** A process that is a member of a group and tells, as JSON lines on standard output, who is in it. Takes what a candidate takes. */

import { readFileSync } from "node:fs";
import { connect, loadConfig } from "../../kube/index.ts";
import { createLogger } from "../../observe/index.ts";
import { Members } from "../index.ts";
import type { CandidateEvent, CandidateOptions } from "./candidate.ts";
import { machineTime } from "./candidates.ts";

/** Who is in the group now. */
export type MembersEvent = Extract<CandidateEvent, { event: "members" }>;

const tell = (event: CandidateEvent): void =>
  void process.stdout.write(`${JSON.stringify(event)}\n`);

async function main(): Promise<void> {
  const options: CandidateOptions = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
  await using client = connect(await loadConfig({ kubeconfig: options.kubeconfig }));
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  // The pipe ends with the test process, also when that is killed; without this its members would go on for ever.
  process.stdin
    .on("end", () => process.exit(1))
    .resume()
    .unref();
  const { name: group, identity: id, retryPeriod: renewPeriod, ...rest } = options;
  const logger = createLogger({ level: "debug" });
  const members = new Members(client, { ...rest, group, id, renewPeriod, logger });
  members.onChange((ids) => tell({ event: "members", at: machineTime(), ids }));
  await members.run(stop.signal);
  tell({ event: "over", at: machineTime(), how: "stopped" });
}

await main();
