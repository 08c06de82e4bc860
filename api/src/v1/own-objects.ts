/** Types of which people see no objects but their own (steve: pkg/stores/sqlproxy/proxy_store.go, ListByPartitions). Their API server asks for more than RBAC. */

import type { Access } from "./access/access.ts";
import type { ResourceType } from "./types/resource-type.ts";

/** Says whose an object is, by the user's name. */
export const ownerLabel = "cattle.io/user-id";

/** Whether a caller sees tokens or kubeconfigs of others nowhere: all but those who may list everything. */
export function seesOwnOnly({ kind: { group, kind } }: ResourceType, access: Access): boolean {
  if (group !== "ext.cattle.io" || (kind !== "Token" && kind !== "Kubeconfig")) return false;
  return !access.may("list", { group: "*", plural: "*" });
}
