export type { QueueMetrics } from "./metrics.ts";
export {
  type AddOptions,
  priorities,
  Queue,
  QueueClosed,
  type QueueOptions,
  type RetryOptions,
} from "./queue.ts";
