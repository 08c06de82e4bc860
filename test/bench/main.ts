/**
 * `make bench`: runs the scenarios on a control plane of their own. ONLY=a,b picks, N sets the size, ROUNDS how often, SUBJECTS=a,b who, SECONDS how long each
 * timed phase is, IDLE_S how long one in which nothing happens, CHANGES how many come per second in `churn` and `subscribe`, REPLAY=1 that
 * servers of /v1 read Pods as recorded bytes, REPLAY=0 that they do not even in `churn`.
 */

import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { startControlPlane } from "@drover/env";
import { connect, loadConfig } from "kopf-ts";
import {
  type Bench,
  type Outcome,
  oursFailed,
  report,
  type Scenario,
  type Surroundings,
} from "./bench.ts";
import { preparePeers } from "./peers.ts";
import { churn } from "./scenarios/churn.ts";
import { idle } from "./scenarios/idle.ts";
import { list } from "./scenarios/list.ts";
import { management } from "./scenarios/management.ts";
import { page } from "./scenarios/page.ts";
import { propagate } from "./scenarios/propagate.ts";
import { queue } from "./scenarios/queue.ts";
import { reconcile } from "./scenarios/reconcile.ts";
import { relist } from "./scenarios/relist.ts";
import { restart } from "./scenarios/restart.ts";
import { start } from "./scenarios/start.ts";
import { steadyState } from "./scenarios/steady-state.ts";
import { subscribe } from "./scenarios/subscribe.ts";
import { sync } from "./scenarios/sync.ts";
import { userMix } from "./scenarios/user-mix.ts";

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
  list,
  userMix,
  churn,
  subscribe,
  restart,
  idle,
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

function yesOrNo(name: string): boolean | undefined {
  const text = process.env[name] ?? "";
  if (["", "0", "1"].includes(text)) return text === "" ? undefined : text === "1";
  process.stderr.write(`${name} must be 0 or 1, not "${text}"\n`);
  process.exit(2);
}

const picked = chosen();
const n = number("N");
const rounds = number("ROUNDS") ?? 5;
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();

const milliseconds = (name: string): number | undefined => {
  const seconds = number(name);
  return seconds === undefined ? undefined : seconds * 1000;
};
const subjects = process.env.SUBJECTS?.split(",");
const surroundings: Surroundings = {
  ...{ n, rounds, say, replay: yesOrNo("REPLAY"), changes: number("CHANGES") },
  ...{ time: milliseconds("SECONDS"), idle: milliseconds("IDLE_S") },
  wants: (subject) => subjects?.includes(subject) ?? true,
};

await using stack = new AsyncDisposableStack();
/** The control plane of all scenarios that share one; started when the first of them comes. */
async function shared(): Promise<Bench> {
  const peers = await preparePeers(say);
  say("starting a control plane");
  const plane = stack.use(await startControlPlane({ name: "bench" }));
  const client = stack.use(connect(await loadConfig({ kubeconfig: plane.kubeconfigPath })));
  return { ...surroundings, plane, client, peers };
}

let bench: Bench | undefined;
async function run(scenario: Scenario): Promise<Outcome> {
  if (scenario.apart === true) return scenario.run(surroundings);
  bench ??= await shared();
  return scenario.run(bench);
}

for (const scenario of picked) {
  say(`${scenario.name}: ${scenario.about}`);
  const load_before = loadavg();
  const outcome = await run(scenario);
  report(scenario, outcome, { commit, load_before });
  if (oursFailed(outcome)) process.exitCode = 1;
}
