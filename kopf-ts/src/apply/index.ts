export { shareForms } from "./applied-forms.ts";
export { ApplyError, type ApplyFailure } from "./apply-error.ts";
export { type ApplySetOptions, applySet } from "./apply-set.ts";
export {
  type ConditionUpdate,
  findCondition,
  type NormanConditionUpdate,
  setCondition,
  setNormanCondition,
} from "./conditions.ts";
export type { OwnerReferenceMode } from "./desired.ts";
export { type Difference, differences } from "./differences.ts";
export type { EventInput } from "./events/event.ts";
export { defaultLimits, type EventLimits } from "./events/limits.ts";
export { EventRecorder, type EventRecorderOptions } from "./events/recorder.ts";
export type { TokenBucketOptions } from "./events/token-bucket.ts";
export {
  claimOf,
  type Marks,
  markedOwnerOf,
  marksOf,
  type SetIdentity,
  setIndex,
  setLabel,
} from "./marks.ts";
export type { MemberCache } from "./members.ts";
export { canOwn, type OwnerReferenceOptions, ownerReference } from "./owner.ts";
export {
  mergePatch,
  type PatchStatusOptions,
  patchStatus,
  type WithStatus,
} from "./patch-status.ts";
export type { ApplyReport } from "./report.ts";
