export { dropClusterFinalizers } from "./cluster-finalizers.ts";
export { findInHub } from "./find-in-hub.ts";
export {
  belongsTo,
  labelIndex,
  type OwnerLabel,
  type Ownership,
  ownedForm,
} from "./ownership.ts";
export {
  cannotApply,
  cannotDelete,
  nameTaken,
  outOfTouch,
  type Problem,
  tell,
  throwForRetry,
} from "./problem.ts";
export { type Departed, release } from "./release.ts";
export { grantsAnotherRole, type Part, type Settling, settle } from "./settle.ts";
export { type Withdrawn, withdraw } from "./withdraw.ts";
