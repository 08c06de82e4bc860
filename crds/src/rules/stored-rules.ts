import type { PolicyRule } from "kopf-ts/kinds";

/** Rules as the API server stores them, so that nothing differs afterwards: no empty lists in a rule, and null for no rules. */
export function storedRules(rules: readonly PolicyRule[]): readonly PolicyRule[] | null {
  if (rules.length === 0) return null;
  return rules.map(({ verbs, ...targets }) => {
    const filled = Object.entries(targets).filter(([, values]) => values.length > 0);
    return { verbs, ...Object.fromEntries(filled) };
  });
}
