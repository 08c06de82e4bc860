/** The default admin's objects, and what the bootstrap Secret says. */

import { GlobalRole, GlobalRoleBinding, systemNamespace, User } from "@drover/crds";
import { Confidential } from "@drover/platform";
import { apiVersionOf } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Secret } from "kopf-ts/kinds";
import {
  adminLabel,
  adminRole,
  adminUsername,
  generatedAnnotation,
  guardName,
  nameFrom,
  prefixes,
  secretKey,
  secretName,
} from "./names.ts";

/** The first password. */
export interface BootstrapPassword {
  readonly text: Confidential;
  /** We made it up; nobody else knew it. */
  readonly generated: boolean;
}

/** The default admin. */
export function adminUser(name: string, mustChangePassword: boolean): User {
  return {
    apiVersion: apiVersionOf(User),
    kind: User.kind,
    metadata: { name, generateName: prefixes.user, labels: adminLabel },
    displayName: "Default Admin",
    username: adminUsername,
    mustChangePassword,
  };
}

/** Whether the first password only serves to choose another: it was made up, or is the one that everybody tries first. */
export function mustChange({ text, generated }: BootstrapPassword): boolean {
  return generated || text.reveal() === adminUsername;
}

/** Makes the user an admin; goes when the GlobalRole does, as admission would see to it. */
export function adminBinding(user: User, role: GlobalRole): GlobalRoleBinding {
  const { name, uid = "" } = role.metadata;
  return {
    apiVersion: apiVersionOf(GlobalRoleBinding),
    kind: GlobalRoleBinding.kind,
    metadata: {
      name: nameFrom(prefixes.globalRoleBinding, user.metadata.name),
      generateName: prefixes.globalRoleBinding,
      labels: adminLabel,
      ownerReferences: [{ apiVersion: apiVersionOf(GlobalRole), kind: GlobalRole.kind, name, uid }],
    },
    userName: user.metadata.name,
    globalRoleName: adminRole,
  };
}

/** Makes the user an admin of this one cluster where there are no global roles. */
export function clusterAdminBinding(user: User): ClusterRoleBinding {
  const { group: apiGroup } = ClusterRole;
  return {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: {
      name: nameFrom(prefixes.clusterRoleBinding, user.metadata.name),
      generateName: prefixes.clusterRoleBinding,
      labels: adminLabel,
    },
    subjects: [{ kind: "User", apiGroup, name: user.metadata.name }],
    roleRef: { apiGroup, kind: ClusterRole.kind, name: "cluster-admin" },
  };
}

/** Says for good that there was an admin. */
export const guard: ConfigMap = {
  apiVersion: apiVersionOf(ConfigMap),
  kind: ConfigMap.kind,
  metadata: { name: guardName, namespace: systemNamespace },
};

/** The first password in the Secret; undefined when it has none. */
export function readPassword(secret: Secret | undefined): BootstrapPassword | undefined {
  const text = Buffer.from(secret?.data?.[secretKey] ?? "", "base64").toString();
  if (text === "") return undefined;
  return {
    text: new Confidential(text),
    generated: secret?.metadata.annotations?.[generatedAnnotation] === "true",
  };
}

/** The Secret with the password, beside what an existing one holds. */
export function withPassword(
  secret: Secret | undefined,
  { text, generated }: BootstrapPassword,
): Secret {
  const { metadata = { name: secretName, namespace: systemNamespace }, ...rest } = secret ?? {};
  const annotations = {
    ...metadata.annotations,
    ...(generated && { [generatedAnnotation]: "true" }),
  };
  return {
    ...rest,
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: { ...metadata, annotations },
    data: { ...secret?.data, [secretKey]: Buffer.from(text.reveal()).toString("base64") },
  };
}
