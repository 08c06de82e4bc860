export {
  type AdmissionContext,
  type AdmissionRequest,
  type Allowed,
  allow,
  type Denied,
  deny,
  type UserInfo,
  type Verdict,
} from "./request.ts";
export type {
  AnyWebhook,
  MatchCondition,
  Mutator,
  Operation,
  Validator,
  WebhookRule,
} from "./webhook.ts";
