import { Feature, Token } from "@drover/crds";
import type { FeatureDefaults } from "@drover/platform";
import { type Controller, type Metrics, related, Throttle, type ThrottleOptions } from "kopf-ts";
import { Beginning, isOurs, isPlain, plainness } from "./desired.ts";
import { controllerName, hashedMetric, plain, plainTokens } from "./names.ts";
import { hash } from "./reconcile.ts";

/** Options of tokenHashing. */
export interface TokenHashingOptions {
  readonly features: FeatureDefaults;
  readonly metrics?: Metrics | undefined;
  readonly pace?: ThrottleOptions;
}

/** Stores hashes instead of keys once feature token-hashing is on. */
export function tokenHashing({ features, metrics, pace }: TokenHashingOptions): Controller<Token> {
  const shared = {
    features,
    beginning: new Beginning(),
    pace: new Throttle({ perSecond: 100, ...pace }),
    hashed: metrics?.counter(hashedMetric).with(),
  };
  return {
    name: controllerName,
    watches: Token,
    indexes: { [plainTokens]: plainness },
    when: ({ current }) => current !== undefined && isPlain(current),
    related: [
      related(Feature, {
        map: (feature, cache) =>
          isOurs(feature) ? cache(Token).keysByIndex(plainTokens, plain) : [],
      }),
    ],
    reconcile: (token, context) => hash(token, context, shared),
  };
}
