/** Webhooks as data: a handler for one kind, and which requests reach it. */

import type { Readable } from "../control/index.ts";
import type { LabelSelector } from "../kinds/index.ts";
import type { Kind, KubeObject } from "../kube/index.ts";
import type { AdmissionContext, AdmissionRequest, Denied, Verdict } from "./request.ts";

/** What happens to an object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** A condition in CEL that the API server evaluates before it asks; requests for which one is false pass unasked. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Which requests reach a handler; each becomes an entry of the webhook configuration. */
export interface WebhookRule {
  readonly operations: readonly Operation[];
  /** Ends the entry's name; needed when a handler has several rules. */
  readonly suffix?: string;
  /** Whether requests fail or pass while nobody answers; Fail unless told. */
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly MatchCondition[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** Also asked for these, for example `status`; for the object itself alone unless told. */
  readonly subresources?: readonly string[];
  /** Seconds that the API server waits; 10 unless told. */
  readonly timeoutSeconds?: number;
  /** What the handler does besides answering; None unless told, NoneOnDryRun for those that write elsewhere. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
}

/** What handlers of both phases declare. */
export interface WebhookTarget<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly rules: readonly WebhookRule[];
  /** What it reads from caches; each is synced before the handler is asked for the first time. */
  readonly reads?: readonly (Kind | Readable)[];
}

/** Decides whether a request may go on. What it throws is an HTTP 500, after which failurePolicy decides. */
export interface Validator<T extends KubeObject = KubeObject> extends WebhookTarget<T> {
  validate(request: AdmissionRequest<T>, context: AdmissionContext): Verdict | Promise<Verdict>;
}

/** Changes an object before it is validated and stored. What it throws is an HTTP 500, after which failurePolicy decides. */
export interface Mutator<T extends KubeObject = KubeObject> extends WebhookTarget<T> {
  /** The object as it shall be, undefined to leave it as it is, or a denial. For a DELETE only side effects and a denial count. */
  mutate(
    request: AdmissionRequest<T>,
    context: AdmissionContext,
  ): T | Denied | undefined | Promise<T | Denied | undefined>;
}

/** A webhook of any kind: its handler only ever gets objects of its own. */
// biome-ignore lint/suspicious/noExplicitAny: handlers of differing kinds have no other common type
export type AnyWebhook = Validator<any> | Mutator<any>;
