export { type EnsureTokenOptions, ensureServiceAccountToken } from "./ensure.ts";
export {
  accountLabel,
  isTokenOf,
  referredSecret,
  secretRefAnnotation,
  tokenSecret,
  tokenType,
} from "./names.ts";
