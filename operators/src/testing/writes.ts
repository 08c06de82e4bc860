/** What a concern wrote, and when it stopped. */

import { eventually } from "kopf-ts/testing";
import type { Sent } from "./concern.ts";
import type { SentTo } from "./downstream.ts";

/** A concern that runs: RunningConcern, RunningDownstream. */
interface Sender<S extends Sent> {
  readonly sent: readonly S[];
}

const reads = ["get", "list", "watch"];

/** Every write but Events, in order. */
export function writes<S extends Sent>({ sent }: Sender<S>): readonly S[] {
  return sent.filter(
    ({ verb, resource }) => !reads.includes(verb) && resource !== "events.events.k8s.io",
  );
}

/** Resolves when nothing has been written for 300 ms. */
export async function quiet(concern: Sender<Sent>): Promise<void> {
  let [count, since] = [-1, Date.now()];
  const isQuiet = (): boolean => {
    if (writes(concern).length !== count) [count, since] = [writes(concern).length, Date.now()];
    return Date.now() - since > 300;
  };
  await eventually(isQuiet, { within: 20_000 });
}

/** Every write but Events once the concern is `quiet`, in order: `cluster: patch namespaces`. */
export async function settledWrites(concern: Sender<SentTo>): Promise<readonly string[]> {
  await quiet(concern);
  return writes(concern).map(
    ({ where, verb, resource }) => `${where}: ${verb} ${resource.split(".")[0]}`,
  );
}
