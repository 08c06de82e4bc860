/** Who answers while something is measured, and what that takes. */

import type { ControlPlane } from "@drover/env";
import { CpuMeter } from "../cpu.ts";
import type { V1Server } from "../v1-peers.ts";

/** A server, whosoever it is. */
export interface Measured {
  /** Its processes; what others take at the same time disturbs it. */
  readonly pids: readonly number[];
  /** CPU seconds so far. */
  readonly cpu: () => number;
}

/** One of /v1, or one that sends fixed bytes. */
export function measuredServer({ subject }: V1Server): Measured {
  return { pids: [subject.pid], cpu: () => subject.cost().cpu_s };
}

/** The API server itself. What etcd takes for it is not counted, and does not disturb it. */
export function measuredApiServer({ pids }: ControlPlane): Measured {
  const meter = new CpuMeter(pids["kube-apiserver"] ?? 0);
  return { pids: Object.values(pids).filter((pid) => pid !== undefined), cpu: () => meter.seconds };
}
