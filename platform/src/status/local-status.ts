/** What a binding says of the management cluster; what other clusters say of it is theirs. */

import type { BindingStatus } from "@drover/crds";
import type { Clock, ConditionUpdate, KubeObject } from "kopf-ts";
import { conditionsOf, overall, type Summary, summaryOf } from "./conditions.ts";

/** What there is to tell. */
export interface LocalReport {
  readonly conditions: readonly ConditionUpdate[];
  /** That of the conditions unless told. */
  readonly summary?: Summary;
}

/**
 * The status that tells this, with a summary that is Completed only when the binding's cluster says so too; the very same one when it says so already, so that
 * lastUpdateTime moves only with something else.
 */
export function localStatusOf(
  { metadata, status }: KubeObject & { readonly status?: BindingStatus },
  { conditions, summary = summaryOf(conditions) }: LocalReport,
  clock: Clock,
): BindingStatus {
  const { generation } = metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const updates = conditions.map((condition) => ({ ...condition, ...observed }));
  const told = {
    ...(generation !== undefined && { observedGenerationLocal: generation }),
    summary: overall([summary, status?.summaryRemote ?? "InProgress"]),
    summaryLocal: summary,
    localConditions: conditionsOf(status?.localConditions, updates, clock),
  };
  const isSaid = Object.entries(told).every(
    ([name, value]) => (status as Readonly<Record<string, unknown>> | undefined)?.[name] === value,
  );
  if (isSaid && status !== undefined) return status;
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  return { ...status, ...told, lastUpdateTime };
}
