/** Kinds of admissionregistration.k8s.io/v1: whom the API server asks before it stores an object. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";
import type { LabelSelector } from "./selector.ts";

/** How a webhook is reached: a Service or a URL, and whom its certificate has to be from (PEM, base64). */
export interface WebhookClientConfig {
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly url?: string;
  readonly caBundle?: string;
}

/** Which requests are meant; `*` stands for all. */
export interface RuleWithOperations {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ("CREATE" | "UPDATE" | "DELETE" | "CONNECT" | "*")[];
  readonly resources?: readonly string[];
  readonly scope?: "Cluster" | "Namespaced" | "*";
}

/** One webhook of a ValidatingWebhookConfiguration. */
export interface ValidatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: "Exact" | "Equivalent";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: "None" | "NoneOnDryRun";
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** One webhook of a MutatingWebhookConfiguration. */
export interface MutatingWebhook extends ValidatingWebhook {
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

/** Webhooks that are asked whether a request may go on. */
export interface ValidatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly ValidatingWebhook[];
}

export const ValidatingWebhookConfiguration: Kind<ValidatingWebhookConfiguration> =
  defineKind<ValidatingWebhookConfiguration>({
    group: "admissionregistration.k8s.io",
    version: "v1",
    plural: "validatingwebhookconfigurations",
    kind: "ValidatingWebhookConfiguration",
    scope: "Cluster",
  });

/** Webhooks that may change objects, asked in this order. */
export interface MutatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly MutatingWebhook[];
}

export const MutatingWebhookConfiguration: Kind<MutatingWebhookConfiguration> =
  defineKind<MutatingWebhookConfiguration>({
    group: "admissionregistration.k8s.io",
    version: "v1",
    plural: "mutatingwebhookconfigurations",
    kind: "MutatingWebhookConfiguration",
    scope: "Cluster",
  });
