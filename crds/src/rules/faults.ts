/** What is wrong with rules, and how a rule reads in a message. */

import type { PolicyRule } from "kopf-ts/kinds";

/** Options of ruleFaults. */
export interface RuleFaultOptions {
  /** The rules count in a namespace, where nothing can be allowed on URLs; false unless told. */
  readonly namespaced?: boolean;
}

/**
 * One sentence per fault, naming the field (`rules[2].verbs ...`), in the order of the rules; empty for rules that Kubernetes would
 * accept in a Role or ClusterRole (kubernetes: pkg/apis/rbac/validation/validation.go). `field` is where the rules stand.
 */
export function ruleFaults(
  rules: readonly PolicyRule[],
  field: string,
  { namespaced = false }: RuleFaultOptions = {},
): readonly string[] {
  return rules.flatMap((rule, index) =>
    [...verbFaults(rule), ...targetFaults(rule, namespaced)].map(
      (fault) => `${field}[${index}].${fault}`,
    ),
  );
}

function verbFaults({ verbs }: PolicyRule): readonly string[] {
  return isEmpty(verbs) ? ["verbs is empty: a rule needs at least one verb"] : [];
}

function targetFaults(rule: PolicyRule, namespaced: boolean): readonly string[] {
  return isEmpty(rule.nonResourceURLs) ? resourceFaults(rule) : urlFaults(rule, namespaced);
}

function resourceFaults({ apiGroups, resources }: PolicyRule): readonly string[] {
  return [
    ...(isEmpty(apiGroups)
      ? [
          'apiGroups is empty: a rule on resources needs at least one API group ("" is the core group)',
        ]
      : []),
    ...(isEmpty(resources)
      ? ["resources is empty: a rule needs at least one resource, or nonResourceURLs"]
      : []),
  ];
}

function urlFaults(rule: PolicyRule, namespaced: boolean): readonly string[] {
  const { apiGroups, resources, resourceNames } = rule;
  const mixed = ![apiGroups, resources, resourceNames].every(isEmpty);
  return [
    ...(namespaced
      ? [
          "nonResourceURLs is set: URLs belong to no namespace, so a namespaced rule cannot allow them",
        ]
      : []),
    ...(mixed
      ? [
          "nonResourceURLs is set beside apiGroups, resources or resourceNames: a rule is about resources or about URLs, not both",
        ]
      : []),
  ];
}

function isEmpty(values: readonly string[] | undefined): boolean {
  return values === undefined || values.length === 0;
}

/**
 * A rule in one line, as Kubernetes writes it in its own refusals: `{APIGroups:["apps"], Resources:["deployments"],
 * Verbs:["get"]}` (kubernetes: pkg/apis/rbac/v1/evaluation_helpers.go). Lists are cut after ten values.
 */
export function ruleText(rule: PolicyRule): string {
  const parts = [
    listText("APIGroups", rule.apiGroups),
    listText("Resources", rule.resources),
    listText("NonResourceURLs", rule.nonResourceURLs),
    listText("ResourceNames", rule.resourceNames),
    listText("Verbs", rule.verbs),
  ];
  return `{${parts.filter((part) => part !== "").join(", ")}}`;
}

const mostValues = 10;

function listText(name: string, values: readonly string[] = []): string {
  if (values.length === 0) return "";
  const shown = values.slice(0, mostValues).map((value) => JSON.stringify(value));
  const more = values.length > mostValues ? [`and ${values.length - mostValues} more`] : [];
  return `${name}:[${[...shown, ...more].join(" ")}]`;
}
