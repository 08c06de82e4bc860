/** Conditions that say that something is wrong (wrangler: pkg/summary/summarizers.go, GVKConditionErrorMapping). */

import type { Condition, Step } from "./draft.ts";

/** The statuses that mean an error, by type of condition. */
export type ErrorStatuses = Readonly<Record<string, readonly string[]>>;

/** By `group/version/Kind`. */
export const ofKinds: Readonly<Record<string, ErrorStatuses>> = {
  "helm.cattle.io/v1/HelmChart": { JobCreated: [], Failed: ["True"] },
  "/v1/Node": {
    OutOfDisk: ["True"],
    MemoryPressure: ["True"],
    DiskPressure: ["True"],
    NetworkUnavailable: ["True"],
  },
  "apps/v1/Deployment": { ReplicaFailure: ["True"], Progressing: ["False"] },
  "apps/v1/ReplicaSet": { ReplicaFailure: ["True"] },
};

const ofOthers: ErrorStatuses = { Stalled: ["True"], Failed: ["True"] };

/** Tells the conditions that mean an error, and every one whose reason is `Error`. */
export const errors: Step = ({ group, version, kind, conditions, errorStatuses }, draft) => {
  const statuses = errorStatuses ?? ofKinds[`${group}/${version}/${kind}`] ?? ofOthers;
  for (const condition of conditions.filter((each) => isError(each, statuses))) {
    draft.error = true;
    draft.messages.push(condition.message);
    if (draft.state === "" || draft.state === "active") draft.state = "error";
  }
};

function isError({ type, status, reason }: Condition, statuses: ErrorStatuses): boolean {
  return (
    reason === "Error" ||
    (Object.hasOwn(statuses, type) && statuses[type]?.includes(status) === true)
  );
}
