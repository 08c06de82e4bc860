/** What tests of role template bindings have in common. */

import {
  membershipKey,
  type PolicyRule,
  type RoleTemplate,
  roleTemplateLabels,
  type User,
} from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { type Client, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, Namespace, type Subject } from "kopf-ts/kinds";

/** Makes a Cluster and its namespace, and answers its name. */
export async function aClusterWithNamespace(client: Client): Promise<string> {
  const name = uniqueName("c");
  await client.create(aCluster({ metadata: { name } }));
  await client.create(refTo(Namespace, name));
  return name;
}

/** A User as bindings of Kubernetes name one. */
export function subjectOf({ metadata: { name } }: User): Subject {
  return { kind: "User", name, apiGroup: "rbac.authorization.k8s.io" };
}

/** The key of the label that membership bindings have for a binding. */
export function membershipKeyOf({ metadata: { namespace = "", name } }: KubeObject): string {
  return membershipKey(namespace, name);
}

/** Makes one of the ClusterRoles of a template, as the controllers of templates and aggregation make it. `nameOf` is one of `roleTemplateNames`. */
export function aTemplateRole(
  client: Client,
  { metadata: { name: template } }: RoleTemplate,
  nameOf: (template: string) => string,
  rules: readonly PolicyRule[] = [],
): Promise<ClusterRole> {
  const name = nameOf(template);
  const labels = { [roleTemplateLabels.clusterRoleOwner]: template };
  return client.create({ ...refTo(ClusterRole, name), metadata: { name, labels }, rules });
}
