import type { Task } from "kopf-ts";
import { type CleaningOptions, clean } from "./clean.ts";
import { taskName } from "./names.ts";

/** Deletes what a Rancher left behind whose replicas made several token Secrets for one ServiceAccount; on the leader. */
export function tokenCleaner(options: CleaningOptions): Task {
  return { name: taskName, run: (context) => clean(options, context) };
}
