/** Users and what belongs to them, for the tests of this concern. */

import { GlobalRoleBinding, User } from "@drover/crds";
import { aGlobalRole } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { connect, findCondition, isAlreadyExists, loadConfig } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster, type RunningConcern } from "../../../testing/concern.ts";

/** Where passwords are. */
export const passwords = "cattle-local-user-passwords";
const tokens = "cattle-tokens";

/** How long tests wait for a cluster that is busy. */
export const patient: { readonly within: number } = { within: 10_000 };

/** The annotation that asks for these roles. */
export function rolesFor(...required: readonly string[]): Readonly<Record<string, string>> {
  return { "authz.management.cattle.io/creator-role-bindings": JSON.stringify({ required }) };
}

/** The control plane of the test run, with the namespaces that users need. */
export async function prepare(): Promise<void> {
  const { kubeconfigPath } = await cluster();
  await using client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
  for (const name of [passwords, tokens, "cattle-system"]) {
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch(known);
  }
}

/** A condition as far as tests look at it. */
export interface Condition {
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The condition that tells of its first roles. */
export async function conditionOf(
  { client }: RunningConcern,
  name: string,
): Promise<Condition | undefined> {
  const user = await client.get(User, name);
  return findCondition(user.status?.conditions, "InitialRolesPopulated");
}

/** Resolves once the user has its first roles. */
export async function populated(concern: RunningConcern, name: string): Promise<void> {
  await eventually(async () => (await conditionOf(concern, name))?.status === "True", patient);
}

/** The user once the controller has written it. */
export async function settled({ client }: RunningConcern, name: string): Promise<User> {
  return eventually(async () => {
    const user = await client.get(User, name);
    const marked = Object.keys(user.metadata.annotations ?? {}).some((key) =>
      key.startsWith("lifecycle.cattle.io/create."),
    );
    return marked ? user : undefined;
  }, patient);
}

/** Waits until the controller has had nothing to do for a while. */
export async function quiet(concern: RunningConcern): Promise<void> {
  const total = 'controller_runtime_reconcile_total{controller="users",result="success"}';
  let [last, since] = [-1, Date.now()];
  await eventually(async () => {
    const runs = await concern.metric(total);
    if (runs !== last) [last, since] = [runs, Date.now()];
    return Date.now() - since > 400;
  }, patient);
}

/** The name of a new GlobalRole. */
export async function aRole({ client }: RunningConcern): Promise<string> {
  return (await client.create(aGlobalRole())).metadata.name;
}

/** The user's GlobalRoleBindings. */
export async function bindingsOf(
  { client }: RunningConcern,
  user: string,
): Promise<readonly GlobalRoleBinding[]> {
  const { items } = await client.list(GlobalRoleBinding);
  return items.filter(({ userName }) => userName === user);
}

/** A Secret of texts. */
export function aSecret(
  namespace: string,
  name: string,
  data: Readonly<Record<string, string>>,
): Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: data };
}

/** The Secret of an ext token. */
export function anExtToken(user: string, kind: string): Secret {
  const data = { kind, enabled: "true", hash: "$3:1:abc:def", "user-id": user };
  const secret = aSecret(tokens, uniqueName("token"), data);
  const labels = { "cattle.io/kind": "token", "cattle.io/user-id": user };
  return { ...secret, metadata: { ...secret.metadata, labels } };
}

/** A value in a Secret. */
export function textIn(secret: Secret | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
}

/** Takes what is there already for created. */
export function known(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
