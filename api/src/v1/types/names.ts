/** What types are called (steve: pkg/schema/converter/k8stonorman.go). Pure. */

import type { Kind } from "kopf-ts";

/** `pod`, `apps.deployment`. */
export function typeId(group: string, kind: string): string {
  return (group === "" ? kind : `${group}.${kind}`).toLowerCase();
}

/** `pods`, `apps.deployments`. */
export function pluralName({ group, plural }: Pick<Kind, "group" | "plural">): string {
  return group === "" ? plural : `${group}.${plural}`;
}
