export { type EnsureTokenOptions, ensureServiceAccountToken } from "./ensure.ts";
export {
  accountLabel,
  referredSecret,
  secretRefAnnotation,
  tokenSecret,
  tokenType,
} from "./names.ts";
