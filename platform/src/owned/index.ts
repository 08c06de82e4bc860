export { belongsTo, labelIndex, type Ownership, ownedForm } from "./ownership.ts";
export { type Problem, tell, throwForRetry } from "./problem.ts";
export { type Departed, release } from "./release.ts";
export { grantsAnotherRole, type Part, type Settling, settle } from "./settle.ts";
