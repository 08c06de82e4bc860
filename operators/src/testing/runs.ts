/** What a concern does when it starts, and when it starts again. */

import type { Controller, KubeObject } from "kopf-ts";
import type { RunningDownstream, SentTo } from "./downstream.ts";
import { until } from "./until.ts";
import { quiet } from "./writes.ts";

/** Resolves when a concern has reconciled something, which may have asked for nothing. */
export async function hasRun(running: RunningDownstream, name: string): Promise<void> {
  await until(async () => (await runs(running, name)) > 0);
}

/**
 * Starts a concern that ran before; resolves when it has reconciled something and come to rest, with what it sent besides what fills its caches: nothing, where
 * nothing has changed.
 */
export async function sentOnRestart<T extends KubeObject>(
  running: RunningDownstream,
  concern: Controller<T>,
): Promise<readonly SentTo[]> {
  await running.stop();
  const [before, ran] = [running.sent.length, await runs(running, concern.name)];
  await running.run(concern);
  await until(async () => (await runs(running, concern.name)) > ran);
  await quiet(running);
  return running.sent.slice(before).filter(({ verb }) => !["list", "watch"].includes(verb));
}

async function runs(running: RunningDownstream, name: string): Promise<number> {
  const labels = `{controller="${name}",result="success"}`;
  return running.metric(`controller_runtime_reconcile_total${labels}`);
}
