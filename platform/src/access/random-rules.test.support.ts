/** Random rules that Kubernetes accepts, of few words, so that they often meet. */

import type { PolicyRule } from "@drover/crds";
import type { Random } from "kopf-ts/testing";

const verbs = ["get", "list", "create", "*"] as const;
const groups = ["", "apps", "*"] as const;
const resources = ["pods", "secrets", "pods/log", "*/log", "pods/*", "*"] as const;
const names = ["a", "b"] as const;
const urls = ["/healthz", "/healthz/*", "/healthz/etcd", "/metrics*", "*"] as const;

/** One to two rules on resources, and sometimes one on URLs. */
export function randomRules(
  random: Random,
  { withUrls = false }: { readonly withUrls?: boolean } = {},
): readonly PolicyRule[] {
  const rules = Array.from({ length: 1 + random.below(2) }, () => resourceRule(random));
  return withUrls && random.chance(0.4)
    ? [...rules, { verbs: some(random, verbs), nonResourceURLs: some(random, urls) }]
    : rules;
}

function resourceRule(random: Random): PolicyRule {
  return {
    verbs: some(random, verbs),
    apiGroups: some(random, groups),
    resources: some(random, resources),
    ...(random.chance(0.3) ? { resourceNames: some(random, names) } : {}),
  };
}

/** Rules with fewer values in each list, so that they are often covered by what they come from. */
export function narrowed(random: Random, rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const fewer = (values: readonly string[]): readonly string[] =>
    values.filter((_, index) => index === 0 || random.chance(0.5));
  return rules.map(({ verbs: all, apiGroups, resources: kinds, ...rest }) => ({
    ...rest,
    verbs: fewer(all),
    ...(apiGroups && { apiGroups: fewer(apiGroups) }),
    ...(kinds && { resources: fewer(kinds) }),
  }));
}

function some(random: Random, from: readonly [string, ...string[]]): readonly string[] {
  return [...new Set(Array.from({ length: 1 + random.below(2) }, () => random.pick(from)))];
}
