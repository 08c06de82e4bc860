export {
  type BcryptHash,
  hashPassword,
  type PasswordHash,
  type Pbkdf2Hash,
  type Verdict,
  verifyPassword,
} from "./hash.ts";
export { type PasswordRules, passwordProblem } from "./rules.ts";
export {
  type PasswordSecret,
  parseLegacyPassword,
  parsePasswordSecret,
  passwordHashAnnotation,
  passwordNamespace,
  passwordPatch,
  passwordSecret,
} from "./secret.ts";
