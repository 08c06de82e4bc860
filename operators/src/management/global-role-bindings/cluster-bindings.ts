/** The ClusterRoleTemplateBindings by which a GlobalRoleBinding grants its inherited roles in every cluster but the local one. Pure. */

import { createHash } from "node:crypto";
import {
  ClusterRoleTemplateBinding,
  type GlobalRoleBinding,
  globalRoleBindingNames,
  labels,
  localClusterName,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import type { Subject } from "kopf-ts/kinds";
import { type Grant, ownerLabel } from "./desired.ts";

/** A cluster that roles are inherited in. */
export interface Target {
  readonly name: string;
  /** Whether something new may be made in its namespace; what is there already stays until the cluster takes it along. */
  readonly isOpen: boolean;
}

/**
 * One for each inherited role and cluster but the local one. Of the binding's own ones that are there, the oldest that grants the very thing keeps
 * its name, whoever gave it; a new one gets a name that follows from what it is, so that a second attempt makes no second object.
 *
 * The name tells bindings apart: two that inherit one role for one user have one each, and either may go.
 */
export function templateBindings(
  { binding, role, subject }: Grant,
  targets: readonly Target[],
  existing: readonly ClusterRoleTemplateBinding[],
): readonly ClusterRoleTemplateBinding[] {
  const templates = [...new Set(role.inheritedClusterRoles ?? [])];
  const good = existing.toSorted(byAge).filter((each) => grants(each, subject));
  return targets
    .filter(({ name }) => name !== localClusterName)
    .flatMap((target) => templates.map((template) => ({ ...target, template })))
    .flatMap(({ name: cluster, isOpen, template }) => {
      const found = good.find(
        ({ metadata, roleTemplateName }) =>
          metadata.namespace === cluster && roleTemplateName === template,
      );
      if (found === undefined && !isOpen) return [];
      const name = found?.metadata.name ?? derivedName(binding, cluster, template);
      const own = { ...ownerLabel(binding), [labels.managedBy]: "rancher" };
      return [
        {
          apiVersion: apiVersionOf(ClusterRoleTemplateBinding),
          kind: ClusterRoleTemplateBinding.kind,
          metadata: { name, namespace: cluster, labels: own },
          clusterName: cluster,
          roleTemplateName: template,
          ...fieldOf(subject),
        },
      ];
    });
}

/** Whether a stored one must be deleted first: what it grants may never change (as Rancher, which deletes and creates). */
export function grantsOtherwise(
  live: ClusterRoleTemplateBinding,
  wanted: ClusterRoleTemplateBinding,
): boolean {
  return (
    live.roleTemplateName !== wanted.roleTemplateName ||
    live.clusterName !== wanted.clusterName ||
    !isSameSubject(live, wanted)
  );
}

function grants(live: ClusterRoleTemplateBinding, subject: Subject): boolean {
  return (
    live.metadata.deletionTimestamp === undefined &&
    live.clusterName === live.metadata.namespace &&
    isSameSubject(live, fieldOf(subject))
  );
}

type Subjects = Pick<ClusterRoleTemplateBinding, "userName" | "groupName" | "groupPrincipalName">;

/** The user's principal is left out: it is filled in later, by whoever handles the binding. */
function isSameSubject(a: Subjects, b: Subjects): boolean {
  const names = ["userName", "groupName", "groupPrincipalName"] as const;
  return names.every((name) => (a[name] ?? "") === (b[name] ?? ""));
}

function fieldOf({ kind, name }: Subject): Subjects {
  return kind === "Group" ? { groupPrincipalName: name } : { userName: name };
}

function derivedName({ metadata }: GlobalRoleBinding, cluster: string, template: string): string {
  const text = [metadata.name, cluster, template].join("/");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return `${globalRoleBindingNames.clusterRoleTemplateBindingPrefix}${hash}`;
}

function byAge(
  { metadata: a }: ClusterRoleTemplateBinding,
  { metadata: b }: ClusterRoleTemplateBinding,
): number {
  const key = ({ creationTimestamp = "", name }: typeof a): string =>
    `${creationTimestamp} ${name}`;
  return key(a) < key(b) ? -1 : 1;
}
