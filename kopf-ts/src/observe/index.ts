export { escapeControls } from "./controls.ts";
export type { Family } from "./families.ts";
export { type CheckOptions, type HealthAnswer, type HealthCheck, HealthChecks } from "./health.ts";
export type {
  CacheMetrics,
  CacheSource,
  ClientMetrics,
  ControllerMetrics,
  ElectionMetrics,
  QueueGauges,
  QueueRecorder,
  ReconcileOutcome,
  WatchMetrics,
  WebhookMetrics,
} from "./instruments.ts";
export {
  createLogger,
  isLogFormat,
  isLogLevel,
  type LogFormat,
  type LoggerOptions,
  logFormats,
  type RootLogger,
} from "./logger.ts";
export { Metrics, type MetricsOptions, type ResourceLabels } from "./metrics.ts";
export { redacted } from "./secrets.ts";
export type { Counter, Gauge, Histogram, Labels, Vector } from "./series.ts";
export { type MetricsServer, type MetricsServerOptions, serveMetrics } from "./serve.ts";
