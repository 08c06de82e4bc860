/** In which order the kinds of a set are sent. */

/** Kinds that others need first, then those that need all others; what is not named goes between. */
const first: readonly (readonly string[])[] = [
  ["Namespace", "CustomResourceDefinition", "PriorityClass", "StorageClass"],
  ["ServiceAccount", "Secret", "ConfigMap", "ResourceQuota", "LimitRange", "NetworkPolicy"],
  ["ClusterRole", "Role"],
  ["ClusterRoleBinding", "RoleBinding"],
];
/** These reach into every request: what they point at must be there before them. */
const last: readonly string[] = [
  "APIService",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "ValidatingAdmissionPolicyBinding",
];

/** Items in waves: each wave may be applied at once, after the one before it. Deleting goes the other way round. */
export function waves<T>(items: readonly T[], kindOf: (item: T) => string): readonly T[][] {
  const byRank = Map.groupBy(items, (item) => rankOf(kindOf(item)));
  return [...byRank.entries()].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}

function rankOf(kind: string): number {
  const rank = first.findIndex((kinds) => kinds.includes(kind));
  if (rank >= 0) return rank;
  return last.includes(kind) ? first.length + 1 : first.length;
}
