export { type HashVersion, hashKey, hashVersion, verifyKey } from "./hash.ts";
export {
  isHashed,
  kubeconfigTokenName,
  type SystemTokenInput,
  systemToken,
  verifyToken,
  withHashedKey,
} from "./token.ts";
export { clampTtl, shrinkTtl, type TtlLimits, toExtTtl } from "./ttl.ts";
export { formatTokenValue, generateKey, parseTokenValue, type TokenValue } from "./value.ts";
