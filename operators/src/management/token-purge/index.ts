import { dataNamespace, SamlToken, Token } from "@drover/crds";
import { extTokenSelector } from "@drover/platform";
import { type Controller, type Metrics, Throttle, type ThrottleOptions } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { controllerNames, purgedMetric } from "./names.ts";
import { purge, purgeExt, purgeSaml, type Shared } from "./reconcile.ts";

/** Options of tokenPurge, extTokenPurge and samlTokenPurge. */
export interface TokenPurgeOptions {
  readonly metrics?: Metrics | undefined;
  readonly pace?: ThrottleOptions;
}

/** Deletes tokens of management.cattle.io once their time to live has passed. */
export function tokenPurge(options: TokenPurgeOptions = {}): Controller<Token> {
  const shared = sharedBy("v3", options);
  return {
    name: controllerNames.v3,
    watches: Token,
    terminating: true, // to let go of those that a legacy finalizer holds
    reconcile: (token, context) => purge(token, context, shared),
  };
}

/** Deletes tokens of ext.cattle.io, which are Secrets, once their time to live has passed. */
export function extTokenPurge(options: TokenPurgeOptions = {}): Controller<Secret> {
  const shared = sharedBy("ext", options);
  return {
    name: controllerNames.ext,
    watches: Secret,
    select: extTokenSelector,
    reconcile: (secret, context) => purgeExt(secret, context, shared),
  };
}

/** Deletes SAML tokens that nobody fetched. */
export function samlTokenPurge(options: TokenPurgeOptions = {}): Controller<SamlToken> {
  const shared = sharedBy("saml", options);
  return {
    name: controllerNames.saml,
    watches: SamlToken,
    select: { namespace: dataNamespace },
    reconcile: (token, context) => purgeSaml(token, context, shared),
  };
}

function sharedBy(store: string, { metrics, pace }: TokenPurgeOptions): Shared {
  const purged = metrics?.counter(purgedMetric).with({ store });
  return { pace: new Throttle(pace), purged };
}
