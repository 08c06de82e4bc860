export type { Lifetimes, RenewalContext } from "../certificates/index.ts";
export type { ClientConfig, Configuration } from "./registration/configurations.ts";
export {
  type AdmissionContext,
  type AdmissionFacts,
  type AdmissionRequest,
  type Allowed,
  allow,
  type Denied,
  deny,
  type UserInfo,
  type Verdict,
} from "./request.ts";
export {
  type AdmissionDeps,
  type AdmissionOptions,
  AdmissionServer,
  type AdmissionTask,
} from "./server.ts";
export type {
  AnyWebhook,
  MatchCondition,
  Mutator,
  Operation,
  Validator,
  WebhookRule,
  WebhookTarget,
} from "./webhook.ts";
