export { Background, type Job, type Steps } from "./background.ts";
export type { WaitOptions } from "./barrier.ts";
export type { Cache, CacheStats, SubscribeOptions, Subscription } from "./cache.ts";
export type { ColumnSpec, ColumnType } from "./columns/column.ts";
export type { Condition, Value } from "./columns/condition.ts";
export {
  type Labels,
  matches,
  parseSelector,
  type Requirement,
  SelectorError,
} from "./columns/selector.ts";
export type { DocumentOptions } from "./documents.ts";
export type { HistoryLimits, PastChange } from "./history.ts";
export type { IndexFunction } from "./indexes.ts";
export type { AuditOptions, AuditReport } from "./informers/audit.ts";
export type { Informer, InformerOptions, InformerShare } from "./informers/informer.ts";
export {
  type InformerReport,
  Informers,
  type InformersMetrics,
  type InformersOptions,
} from "./informers/informers.ts";
export type { Hold } from "./informers/shared.ts";
export type { CacheChange, Listener } from "./listeners.ts";
export type { Filter, ObjectSet } from "./query/filter.ts";
export type { Query, QueryResult, Sort } from "./query/query.ts";
export { type Compare, mergeSort } from "./query/sort.ts";
export { type Cut, Slabs, type SlabUsage } from "./slabs.ts";
export { Store, type StoreOptions } from "./store.ts";
