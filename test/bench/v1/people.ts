/** People with different rights, as objects of RBAC. */

import type { Client, KubeObject } from "kopf-ts";
import { inParallel } from "../drover.ts";
import { namespaceCount, namespaceName, namespaceOf } from "../pods.ts";

/** Impersonation headers of somebody; `admin` may do everything. */
export function headersOf(user: string): Readonly<Record<string, string>> {
  const group = user === "admin" ? { "impersonate-group": "system:masters" } : {};
  return { accept: "application/json", "impersonate-user": user, ...group };
}

/** Each sees the Pods of so many namespaces; where the last has more than hold Pods, the others are empty. */
const restricted: Readonly<Record<string, number>> = { ns1: 1, ns50: 50, ns1000: 1000 };

/** Ten who see all Pods and ConfigMaps, and may change the Pods of a namespace of their own: so they see other links there. */
export const walkers: readonly string[] = Array.from(
  { length: 10 },
  (_, index) => `walker${index}`,
);

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

/** Makes all of them exist, and the namespaces that hold no Pods. */
export async function createPeople(client: Client): Promise<void> {
  const empty = Math.max(...Object.values(restricted)) - namespaceCount;
  await inParallel(empty, (index) => {
    const metadata = { name: namespaceName(namespaceCount + index) };
    return client.create<KubeObject>({ apiVersion: "v1", kind: "Namespace", metadata });
  });
  await createRole(client, "bench-pods", ["pods"]);
  await createRole(client, "bench-walks", ["pods", "configmaps"]);
  await createRole(client, "bench-own", ["pods"], ["update", "patch", "delete"]);
  for (const [name, count] of Object.entries(restricted)) {
    await inParallel(count, (index) => {
      const metadata = { name, namespace: namespaceName(index) };
      return client.create<KubeObject & object>({
        ...{ apiVersion, kind: "RoleBinding", metadata },
        ...bound("bench-pods", [name]),
      });
    });
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
