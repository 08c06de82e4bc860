/** What a registration token may say (rancher: pkg/controllers/dashboard/clusterregistrationtoken). */

import type { ClusterRegistrationToken } from "@drover/crds";
import type { Problem } from "../verdicts.ts";

/** Fewest minutes. */
const least = { ttl: 30, gracePeriod: 10 } as const;

/** What is wrong with a token; fields that stay as they were are not judged. A ttl of 0 or less means never, a grace period of 0 the setting's. */
export function tokenProblem(
  after: ClusterRegistrationToken,
  before?: ClusterRegistrationToken,
): Problem {
  return clusterProblem(after, before) ?? timesProblem(after.spec, before?.spec);
}

function clusterProblem(
  { metadata, spec }: ClusterRegistrationToken,
  before: ClusterRegistrationToken | undefined,
): Problem {
  if (before !== undefined && before.spec?.clusterName === spec?.clusterName) return undefined;
  if (!spec?.clusterName) return "spec.clusterName is required";
  if (spec.clusterName === metadata.namespace) return undefined;
  return "spec.clusterName must be the same as the namespace";
}

function timesProblem(
  after: ClusterRegistrationToken["spec"],
  before: ClusterRegistrationToken["spec"],
): Problem {
  const { ttl = 0, gracePeriod = 0 } = after ?? {};
  if (ttl !== before?.ttl && ttl > 0 && ttl < least.ttl) {
    return `spec.ttl must be at least ${least.ttl} minutes, or 0 for a token that never expires`;
  }
  if (gracePeriod !== before?.gracePeriod && gracePeriod !== 0 && gracePeriod < least.gracePeriod) {
    return `spec.gracePeriod must be at least ${least.gracePeriod} minutes`;
  }
  return undefined;
}
