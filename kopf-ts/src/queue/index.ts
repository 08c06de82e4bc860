export type { QueueMetrics } from "./metrics.ts";
export { type AddOptions, priorities, Queue, QueueClosed, type QueueOptions } from "./queue.ts";
