import { uniqueName } from "@drover/env";
import { type Caller, mayDo } from "@drover/platform";
import { type Client, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, type PolicyRule, Role, RoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";

/** Gives a user (or a group) rules, in a namespace or everywhere. Resolves when the API server lets them do the first thing of each rule. */
export async function give(
  client: Client,
  user: string,
  rules: readonly PolicyRule[],
  namespace?: string,
  whom: "User" | "Group" = "User",
): Promise<void> {
  const name = uniqueName("given");
  const subjects = [{ kind: whom, name: user, apiGroup: Role.group }];
  const kind = namespace === undefined ? ClusterRole : Role;
  const binding = namespace === undefined ? ClusterRoleBinding : RoleBinding;
  const roleRef = { apiGroup: kind.group, kind: kind.kind, name };
  const caller: Caller =
    whom === "User" ? { username: user, groups: [] } : { username: "", groups: [user] };
  await client.create({ ...refTo(kind, name, namespace), rules });
  await client.create({ ...refTo(binding, name, namespace), roleRef, subjects });
  await eventually(() => allowed(client, caller, rules, namespace), { within: 10_000 });
}

async function allowed(
  client: Client,
  caller: Caller,
  rules: readonly PolicyRule[],
  namespace: string | undefined,
): Promise<boolean> {
  for (const {
    verbs: [verb = ""],
    apiGroups,
    resources,
    resourceNames,
  } of rules) {
    const [group = ""] = apiGroups ?? [];
    const [resource = ""] = resources ?? [];
    const [name] = resourceNames ?? [];
    const attributes = {
      verb,
      group,
      resource,
      ...(name && { name }),
      ...(namespace && { namespace }),
    };
    if (!(await mayDo(client, caller, attributes))) return false;
  }
  return true;
}
