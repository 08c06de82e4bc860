import { Feature, type Token } from "@drover/crds";
import { type FeatureDefaults, liveFeatures } from "@drover/platform";
import {
  type Context,
  type Counter,
  done,
  isConflict,
  isNotFound,
  type Result,
  requeueAfter,
  type Throttle,
} from "kopf-ts";
import { type Beginning, hashPatch, isPlain } from "./desired.ts";

/** What all runs share. */
export interface Shared {
  readonly features: FeatureDefaults;
  readonly beginning: Beginning;
  readonly pace: Throttle;
  readonly hashed: Counter | undefined;
}

/** Replaces the key of a token by its hash, when the feature is on and it is the token's turn. */
export async function hash(token: Token, context: Context, shared: Shared): Promise<Result> {
  const { cache, clock, key } = context;
  const isOn = liveFeatures(cache(Feature), shared.features)("token-hashing");
  const start = shared.beginning.wait(isOn, clock.monotonic());
  if (start === undefined || !isPlain(token)) return done;
  if (start > 0) return requeueAfter(start);

  const age = clock.now() - Date.parse(token.metadata.creationTimestamp ?? "");
  const wait = shared.pace.wait(key, age, clock.monotonic());
  if (wait > 0) return requeueAfter(wait);
  if (await store(token, context)) shared.hashed?.inc();
  return done;
}

/** False when the token changed meanwhile, or went: its next state comes by itself. */
async function store(token: Token, { client, log }: Context): Promise<boolean> {
  const { apiVersion, kind, metadata } = token;
  try {
    await client.patch(
      { apiVersion, kind, metadata: { name: metadata.name } },
      { merge: hashPatch(token) },
    );
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
  log.debug("replaced the key of a token by its hash");
  return true;
}
