/** People with different rights, as objects of RBAC. */

import type { Client, KubeObject } from "kopf-ts";
import { namespaceOf } from "../pods.ts";

/** Impersonation headers of somebody; `admin` may do everything. */
export function headersOf(user: string): Readonly<Record<string, string>> {
  const group = user === "admin" ? { "impersonate-group": "system:masters" } : {};
  return { accept: "application/json", "impersonate-user": user, ...group };
}

/** Each sees the Pods of so many namespaces. */
const restricted: Readonly<Record<string, number>> = { ns1: 1, ns50: 50 };

/** Ten who see all Pods and ConfigMaps, and may change the Pods of a namespace of their own: so they see other links there. */
export const walkers: readonly string[] = Array.from(
  { length: 10 },
  (_, index) => `walker${index}`,
);

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

/** Makes all of them exist. */
export async function createPeople(client: Client): Promise<void> {
  await createRole(client, "bench-pods", ["pods"]);
  await createRole(client, "bench-walks", ["pods", "configmaps"]);
  await createRole(client, "bench-own", ["pods"], ["update", "patch", "delete"]);
  for (const [name, count] of Object.entries(restricted)) {
    for (let index = 0; index < count; index++) {
      const metadata = { name, namespace: namespaceOf(index) };
      await client.create<KubeObject & object>({
        ...{ apiVersion, kind: "RoleBinding", metadata },
        ...bound("bench-pods", [name]),
      });
    }
  }
  for (const [index, name] of walkers.entries()) {
    await client.create<KubeObject & object>({
      ...{ apiVersion, kind: "RoleBinding", metadata: { name, namespace: namespaceOf(index) } },
      ...bound("bench-own", [name]),
    });
  }
  await client.create<KubeObject & object>({
    ...{ apiVersion, kind: "ClusterRoleBinding", metadata: { name: "bench-walks" } },
    ...bound("bench-walks", walkers),
  });
}

async function createRole(
  client: Client,
  name: string,
  resources: readonly string[],
  verbs: readonly string[] = ["get", "list", "watch"],
): Promise<void> {
  const rules = [{ apiGroups: [""], resources, verbs }];
  const role = { apiVersion, kind: "ClusterRole", metadata: { name }, rules };
  await client.create<KubeObject & object>(role);
}

function bound(role: string, users: readonly string[]): object {
  return {
    roleRef: { apiGroup, kind: "ClusterRole", name: role },
    subjects: users.map((name) => ({ apiGroup, kind: "User", name })),
  };
}
