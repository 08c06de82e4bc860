export { type Caller, isSuperuser, keysOf, subjectKey } from "./caller.ts";
export {
  type Chain,
  declaredChains,
  grants,
  type ResourceWish,
  rbacChains,
  type Wish,
  type WishPlace,
  wishRule,
} from "./chains.ts";
export { complete } from "./complete.ts";
export { findNamed } from "./find-named.ts";
export { type Grant, grantsOf, type Lacking, lackingFor, missingText } from "./grants.ts";
export { mayDo, reviewAccess } from "./may-do.ts";
export { everything, isAdminRole, type Rights, rightsOf } from "./rights.ts";
export { type AccessSources, accessReads, accessSources, rbacReads, rulesOf } from "./sources.ts";
export { uncovered } from "./uncovered.ts";
