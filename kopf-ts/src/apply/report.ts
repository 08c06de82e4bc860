import type { KubeObject, ObjectRef } from "../kube/index.ts";

/** What applySet did. */
export interface ApplyReport {
  /** Sent and new to us, as the server returned them. */
  readonly created: readonly KubeObject[];
  /** Sent and changed, as the server returned them. */
  readonly changed: readonly KubeObject[];
  /** As they should be already; nothing was sent, or the server found nothing to change. */
  readonly unchanged: readonly KubeObject[];
  /** Deleted, because they left the set. */
  readonly pruned: readonly ObjectRef[];
  /** Wanted, but on their way out; they can only come back once they are gone, and their deletion is the event to wait for. */
  readonly terminating: readonly ObjectRef[];
}
