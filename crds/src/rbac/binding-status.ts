import type { MetaCondition } from "../management.ts";

/**
 * Status of a cluster role template binding or a global role binding. Two controllers write it: one on the management
 * cluster (local), one per downstream cluster (remote). Summaries are Completed, Error, InProgress or Terminating.
 */
export interface BindingStatus {
  readonly observedGenerationLocal?: number;
  readonly observedGenerationRemote?: number;
  /** RFC 3339. */
  readonly lastUpdateTime?: string;
  readonly summary?: string;
  readonly summaryLocal?: string;
  readonly summaryRemote?: string;
  readonly localConditions?: readonly MetaCondition[];
  readonly remoteConditions?: readonly MetaCondition[];
}
