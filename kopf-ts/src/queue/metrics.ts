/** What a queue tells about itself; `Metrics` of observe turns it into client-go's workqueue_* series. */

import type { QueueGauges, QueueRecorder } from "../observe/index.ts";

/** Where queues announce themselves, once each. Calls of the recorder are synchronous and must not throw. */
export interface QueueMetrics {
  queue(name: string, gauges: QueueGauges): QueueRecorder;
}

/** Records nothing. */
export const noRecorder: QueueRecorder = {
  added: () => undefined,
  started: () => undefined,
  finished: () => undefined,
  retried: () => undefined,
  closed: () => undefined,
};
