/** Roles that belong to a Secret, and what they shall allow once it goes. */

import type { KubeObject } from "kopf-ts";
import type { PolicyRule, Role, Secret } from "kopf-ts/kinds";

/** Whether an object belongs to the Secret. */
export function ownedBy(secret: Secret): (object: KubeObject) => boolean {
  const { uid } = secret.metadata;
  return ({ metadata }) =>
    uid !== undefined && (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
}

/** The rules of a role that allows access to the Secret, cut down to its deletion; undefined for a role that is about something else, or is cut already. */
export function reducedRules(
  { rules }: Role,
  { metadata }: Secret,
): readonly PolicyRule[] | undefined {
  const about = (rules ?? []).filter(
    ({ apiGroups = [], resources = [], resourceNames = [] }) =>
      apiGroups.includes("") &&
      resources.includes("secrets") &&
      resourceNames.includes(metadata.name),
  );
  if (about.length === 0 || isReduced(rules ?? [])) return undefined;
  return [
    { verbs: ["delete"], apiGroups: [""], resources: ["secrets"], resourceNames: [metadata.name] },
  ];
}

function isReduced(rules: readonly PolicyRule[]): boolean {
  return rules.every(({ verbs }) => verbs.length === 1 && verbs[0] === "delete");
}
