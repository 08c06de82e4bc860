/** `make bench`: runs the scenarios on a control plane of their own. ONLY=a,b picks, N sets the size, ROUNDS how often, SUBJECTS=a,b who. */

import { execFileSync } from "node:child_process";
import { startControlPlane } from "@drover/env";
import { connect, loadConfig } from "kopf-ts";
import { type Bench, oursFailed, report, type Scenario } from "./bench.ts";
import { preparePeers } from "./peers.ts";
import { management } from "./scenarios/management.ts";
import { page } from "./scenarios/page.ts";
import { propagate } from "./scenarios/propagate.ts";
import { queue } from "./scenarios/queue.ts";
import { reconcile } from "./scenarios/reconcile.ts";
import { relist } from "./scenarios/relist.ts";
import { start } from "./scenarios/start.ts";
import { steadyState } from "./scenarios/steady-state.ts";
import { sync } from "./scenarios/sync.ts";

const scenarios: readonly Scenario[] = [
  sync,
  relist,
  steadyState,
  reconcile,
  queue,
  management,
  propagate,
  start,
  page,
];

function chosen(): readonly Scenario[] {
  const names = process.env.ONLY?.split(",") ?? scenarios.map(({ name }) => name);
  const unknown = names.filter((name) => !scenarios.some((each) => each.name === name));
  if (unknown.length > 0) {
    const known = scenarios.map(({ name, about }) => `  ${name}: ${about}`).join("\n");
    process.stderr.write(`no scenario ${unknown.join(", ")}; there are\n${known}\n`);
    process.exit(2);
  }
  return scenarios.filter(({ name }) => names.includes(name));
}

function number(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  process.stderr.write(`${name} must be a whole number above 0, not "${text}"\n`);
  process.exit(2);
}

const picked = chosen();
const n = number("N");
const rounds = number("ROUNDS") ?? 5;
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();

const peers = await preparePeers(say);
say("starting a control plane");
await using plane = await startControlPlane({ name: "bench" });
await using client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
const subjects = process.env.SUBJECTS?.split(",");
const wants = (subject: string): boolean => subjects?.includes(subject) ?? true;
const bench: Bench = { plane, client, peers, n, rounds, wants, say };
for (const scenario of picked) {
  say(`${scenario.name}: ${scenario.about}`);
  const outcome = await scenario.run(bench);
  report(scenario, outcome, commit);
  if (oursFailed(outcome)) process.exitCode = 1;
}
