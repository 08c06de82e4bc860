/** The two webhook configurations as they shall be; with every default that the API server would add, so that equal means unchanged. */

import {
  MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "../../kinds/index.ts";
import { apiVersionOf, type Kind, type KubeObject } from "../../kube/index.ts";
import { entryName, type Phase, pathOf } from "../names.ts";
import { reviewVersions } from "../review/parse.ts";
import type { AnyWebhook, MatchCondition, WebhookRule } from "../webhook.ts";

/** How API servers reach the webhooks. */
export type ClientConfig =
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        readonly port?: number;
      };
    }
  | { readonly url: string };

/** What the configurations follow from. */
export interface Registered {
  /** Of both configurations; the entries' names begin with it. */
  readonly name: string;
  readonly pathPrefix: string;
  readonly clientConfig: ClientConfig;
  readonly webhooks: readonly AnyWebhook[];
  /** Conditions of each entry, before its own. */
  readonly matchConditions: readonly MatchCondition[];
}

/** A configuration of either kind. */
export type Configuration = KubeObject & { readonly webhooks?: readonly ValidatingWebhook[] };

/** The kind of configuration for each phase. */
export const configurationKinds: Readonly<Record<Phase, Kind<Configuration>>> = {
  validation: ValidatingWebhookConfiguration,
  mutation: MutatingWebhookConfiguration,
};

const handlers: Readonly<Record<Phase, "validate" | "mutate">> = {
  validation: "validate",
  mutation: "mutate",
};

/** The configuration of a phase; undefined when no webhook takes part in it. `bundle` is PEM. */
export function configurationOf(
  phase: Phase,
  registered: Registered,
  bundle: string,
): Configuration | undefined {
  const kind = configurationKinds[phase];
  const webhooks = registered.webhooks
    .filter((webhook) => handlers[phase] in webhook)
    .flatMap((webhook) =>
      webhook.rules.map((rule) => entry(phase, webhook, rule, registered, bundle)),
    );
  if (webhooks.length === 0) return undefined;
  const { name } = registered;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, webhooks };
}

function entry(
  phase: Phase,
  { kind }: AnyWebhook,
  rule: WebhookRule,
  registered: Registered,
  bundle: string,
): ValidatingWebhook {
  const conditions = [...registered.matchConditions, ...(rule.matchConditions ?? [])];
  const path = pathOf(registered.pathPrefix, phase, kind);
  return {
    name: entryName(registered.name, kind, rule.suffix),
    clientConfig: clientConfig(registered.clientConfig, path, bundle),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        operations: rule.operations,
        resources: [
          kind.plural,
          ...(rule.subresources ?? []).map((name) => `${kind.plural}/${name}`),
        ],
        scope: kind.scope,
      },
    ],
    failurePolicy: rule.failurePolicy ?? "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: rule.namespaceSelector ?? {},
    objectSelector: rule.objectSelector ?? {},
    sideEffects: rule.sideEffects ?? "None",
    timeoutSeconds: rule.timeoutSeconds ?? 10,
    admissionReviewVersions: reviewVersions,
    ...(conditions.length > 0 && { matchConditions: conditions }),
    ...(phase === "mutation" && { reinvocationPolicy: "Never" }),
  };
}

function clientConfig(config: ClientConfig, path: string, bundle: string): WebhookClientConfig {
  const caBundle = Buffer.from(bundle).toString("base64");
  if ("url" in config) return { url: `${config.url.replace(/\/$/, "")}${path}`, caBundle };
  const { namespace, name, port = 443 } = config.service;
  return { service: { namespace, name, port, path }, caBundle };
}

/** Names that the serving certificate must have: what API servers call the server by. */
export function serverNames(config: ClientConfig): readonly string[] {
  if ("url" in config) return [new URL(config.url).hostname.replace(/^\[(.*)\]$/, "$1")];
  const { namespace, name } = config.service;
  return [`${name}.${namespace}.svc`];
}
