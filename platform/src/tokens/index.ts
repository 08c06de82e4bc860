export {
  type Activity,
  type ActivityOutcome,
  type ActivityRefusal,
  activityOutcome,
  sessionEnd,
} from "./activity.ts";
export { Confidential } from "./confidential.ts";
export {
  createExtToken,
  createToken,
  type DerivedRequest,
  derivedFrom,
  ensureSystemToken,
  type NewToken,
  type SystemTokenRequest,
  type TokenMaker,
  type TokenRequest,
} from "./create.ts";
export { extTokenExpiry, fromTimestamp, tokenExpiry, toTimestamp } from "./expiry.ts";
export {
  type ExtKey,
  extData,
  extKeys,
  extText,
  extTokenNamespace,
  extTokenSelector,
  isExtToken,
} from "./ext-secret.ts";
export {
  changeExtToken,
  type ExtMetadata,
  type ExtPrincipal,
  type ExtToken,
  type ExtTokenChange,
  type ExtUpdate,
  extTokenSecret,
  parseExtToken,
  sessionKind,
} from "./ext-token.ts";
export { type HashVersion, hashKey, hashVersion, verifyKey } from "./hash.ts";
export {
  type Circumstances,
  type ComputedFields,
  computedFields,
  isExpired,
  isIdle,
  judge,
  refusalTexts,
  shownToken,
  standing,
  type TokenRefusal,
} from "./judge.ts";
export { LastUsed, type LastUsedDeps, type LastUsedOptions } from "./last-used.ts";
export { idleTtl, ttlLimits } from "./limits.ts";
export {
  findToken,
  readExtToken,
  readToken,
  type StoredToken,
  type TokenSources,
} from "./stored.ts";
export {
  isHashed,
  kubeconfigTokenName,
  type SystemTokenInput,
  systemToken,
  verifyToken,
  withHashedKey,
} from "./token.ts";
export { clampTtl, shrinkTtl, type TtlLimits, toExtTtl } from "./ttl.ts";
export {
  formatTokenValue,
  generateKey,
  generateName,
  parseTokenValue,
  type TokenValue,
} from "./value.ts";
