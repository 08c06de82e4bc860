/** Every concern of Drover, by where it runs. */

import type { Environment, FeatureDefaults } from "@drover/platform";
import type { AnyController, Metrics, Task } from "kopf-ts";
import type { AnyWebhook } from "kopf-ts/admission";
import { globalRoles } from "./management/global-roles/index.ts";
import { extTokenPurge, samlTokenPurge, tokenPurge } from "./management/token-purge/index.ts";
import { users } from "./management/users/index.ts";

/** What concerns get besides the context of each run. */
export interface Surroundings {
  readonly metrics?: Metrics;
  /** Environment variables; they override settings. */
  readonly env: Environment;
  /** Defaults of the features in this process. */
  readonly features: FeatureDefaults;
  /** Asks for an orderly end of this process, so that whoever runs it starts it anew. */
  readonly restart: (reason: string) => void;
}

/** Run once, on the leader, against the local cluster. */
export function management({ metrics }: Surroundings): readonly AnyController[] {
  return [
    tokenPurge({ metrics }),
    extTokenPurge({ metrics }),
    samlTokenPurge({ metrics }),
    users(),
    globalRoles,
  ];
}

/** Run on every replica, against the local cluster. */
export function everywhere(_: Surroundings): readonly AnyController[] {
  return [];
}

/** What is done once, or from time to time, besides reconciling. */
export function tasks(_: Surroundings): readonly Task[] {
  return [];
}

/** Served by every replica: what is refused and what is filled in before it is stored. */
export function webhooks(_: Surroundings): readonly AnyWebhook[] {
  return [];
}
