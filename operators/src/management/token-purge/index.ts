import { Token } from "@drover/crds";
import { type Controller, type Metrics, Throttle, type ThrottleOptions } from "kopf-ts";
import { controllerName, purgedMetric } from "./names.ts";
import { purge } from "./reconcile.ts";

/** Options of tokenPurge. */
export interface TokenPurgeOptions {
  readonly metrics?: Metrics | undefined;
  readonly pace?: ThrottleOptions;
}

/** Deletes tokens once their time to live has passed. */
export function tokenPurge({ metrics, pace }: TokenPurgeOptions = {}): Controller<Token> {
  const shared = { pace: new Throttle(pace), purged: metrics?.counter(purgedMetric).with() };
  return {
    name: controllerName,
    watches: Token,
    terminating: true, // to let go of those that a legacy finalizer holds
    reconcile: (token, context) => purge(token, context, shared),
  };
}
