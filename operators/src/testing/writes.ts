/** What a concern wrote, and when it stopped. */

import { eventually } from "kopf-ts/testing";
import type { RunningConcern, Sent } from "./concern.ts";

const reads = ["get", "list", "watch"];

/** Every write but Events, in order. */
export function writes({ sent }: RunningConcern): readonly Sent[] {
  return sent.filter(
    ({ verb, resource }) => !reads.includes(verb) && resource !== "events.events.k8s.io",
  );
}

/** Resolves when nothing has been written for 300 ms. */
export async function quiet(concern: RunningConcern): Promise<void> {
  let [count, since] = [-1, Date.now()];
  const isQuiet = (): boolean => {
    if (writes(concern).length !== count) [count, since] = [writes(concern).length, Date.now()];
    return Date.now() - since > 300;
  };
  await eventually(isQuiet, { within: 20_000 });
}
