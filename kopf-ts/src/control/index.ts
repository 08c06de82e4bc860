export {
  type CacheAccess,
  type CacheChoice,
  type Context,
  type Hub,
  type ObjectEvents,
  type Place,
  UndeclaredKind,
} from "./context.ts";
export {
  type Controller,
  type FromHub,
  finalizerOf,
  type Owned,
  type OwnedOptions,
  owned,
  type Readable,
  type Related,
  type RelatedOptions,
  readable,
  related,
  type WatchForm,
} from "./controller.ts";
export { addFinalizer, hasFinalizer, Outdated, removeFinalizer } from "./finalizer.ts";
export { checkHub } from "./names.ts";
export type { ReconcileOnceDeps } from "./one-run.ts";
export {
  and,
  annotationChanged,
  annotationsChanged,
  type Change,
  changed,
  generationChanged,
  labelChanged,
  labelsChanged,
  not,
  onCreate,
  onDelete,
  onUpdate,
  or,
  type Predicate,
  resourceVersionChanged,
  where,
} from "./predicates.ts";
export { reconcileOnce } from "./reconcile-once.ts";
export type { RehearsedWrite } from "./rehearsal-client.ts";
export { type Rehearsal, type RehearsedEvent, rehearse } from "./rehearse.ts";
export { done, type Result, requeueAfter, requeueAt } from "./result.ts";
export type { EventSink } from "./run.ts";
export { RunClient, type RunDefaults } from "./run-client.ts";
export { ControllerRunner, type ControlMetrics, type HubDeps, type RunnerDeps } from "./runner.ts";
export { Declared, type InformerSource, type Missing, type Source } from "./sources.ts";
export { Throttle, type ThrottleOptions } from "./throttle.ts";
