/** What Rancher's legacy model made on the management cluster for role template bindings (rancher: pkg/controllers/management/auth). Pure. */

import { legacyMembershipValues } from "@drover/crds";
import type { KubeObject } from "kopf-ts";

const values: ReadonlySet<string> = new Set(Object.values(legacyMembershipValues));

/** Finds it by the key of the label that it has for a binding, and by the uid of the binding that it refers to. */
export const legacyIndex: {
  readonly name: string;
  readonly of: (object: KubeObject) => readonly string[];
} = {
  name: "template-bindings.legacy",
  of: ({ metadata: { labels = {}, ownerReferences = [] } }) => [
    ...Object.entries(labels).flatMap(([key, value]) => (values.has(value) ? [key] : [])),
    ...ownerReferences
      .filter(({ kind }) => kind.endsWith("RoleTemplateBinding"))
      .map(({ uid }) => uid),
  ],
};
