import type { Bound } from "./graph.ts";
import type { Grant } from "./held-access.ts";
import type { Rules } from "./rules.ts";

interface Sum {
  everywhere: boolean;
  readonly namespaces: Set<string>;
}

/** What bindings hand out, each set of rules once. A role that is missing hands out nothing. */
export function grantsOf(
  subjects: readonly (Bound | undefined)[],
  rulesOf: (role: string) => Rules | undefined,
): readonly Grant[] {
  const sums = new Map<Rules, Sum>();
  for (const subject of subjects) {
    for (const { role, namespace } of subject?.bindings ?? []) {
      const rules = rulesOf(role);
      if (rules !== undefined) add(sums, rules, namespace);
    }
  }
  return [...sums].map(([rules, { everywhere, namespaces }]) => ({
    rules,
    everywhere,
    namespaces: everywhere ? new Set() : namespaces,
  }));
}

function add(sums: Map<Rules, Sum>, rules: Rules, namespace: string | undefined): void {
  const sum = sums.get(rules) ?? { everywhere: false, namespaces: new Set() };
  if (namespace === undefined) sum.everywhere = true;
  else sum.namespaces.add(namespace);
  sums.set(rules, sum);
}
