/** Rights of a test, as roles and bindings give them. */

import type { PolicyRule } from "@drover/crds";
import { grantsOf } from "./grants.ts";
import { RbacGraph } from "./graph.ts";
import { HeldAccess } from "./held-access.ts";

/** What a user is given: rules by namespace, under `""` for a ClusterRoleBinding. */
export type Held = Readonly<Record<string, readonly PolicyRule[]>>;

/** The access of somebody who holds that. */
export function accessOf(held: Held, subject = "user:u"): HeldAccess {
  const graph = new RbacGraph();
  for (const [place, rules] of Object.entries(held)) {
    const namespace = place === "" ? undefined : place;
    const key = namespace === undefined ? "b" : `${place}/b`;
    graph.setRole(key, rules);
    graph.setBinding(key, { key, namespace, role: key, subjects: [subject] });
  }
  return new HeldAccess(grantsOf([graph.subject(subject)], (role) => graph.rulesOf(role)));
}

/** A rule of the core group; lists are written with commas. */
export function aRule(
  verbs: string,
  resources: string,
  ...resourceNames: readonly string[]
): PolicyRule {
  return {
    verbs: verbs.split(","),
    apiGroups: [""],
    resources: resources.split(","),
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}
