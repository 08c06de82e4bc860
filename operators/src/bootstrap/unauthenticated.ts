import { Setting } from "@drover/crds";
import { publicSettings } from "@drover/platform";
import { applySet, type TaskContext } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding } from "kopf-ts/kinds";
import { fieldManager } from "./write.ts";

const name = "cattle-unauthenticated";
const apiGroup = "rbac.authorization.k8s.io";
const metadata = { name };

/** Lets callers without login read the settings that a login page needs (rancher: pkg/data/dashboard). */
const objects: readonly (ClusterRole | ClusterRoleBinding)[] = [
  {
    apiVersion: `${apiGroup}/v1`,
    kind: ClusterRole.kind,
    metadata,
    rules: [
      {
        verbs: ["get"],
        apiGroups: [Setting.group],
        resources: [Setting.plural],
        resourceNames: publicSettings,
      },
    ],
  },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: ClusterRoleBinding.kind,
    metadata,
    roleRef: { apiGroup, kind: ClusterRole.kind, name },
    subjects: [{ apiGroup, kind: "Group", name: "system:unauthenticated" }],
  },
];

/** Makes or repairs ClusterRole and ClusterRoleBinding `cattle-unauthenticated`. */
export async function ensureUnauthenticated({ client, signal }: TaskContext): Promise<void> {
  const kinds = [ClusterRole, ClusterRoleBinding];
  await applySet(client, objects, { id: name, fieldManager, prune: [], keep: kinds, signal });
}
