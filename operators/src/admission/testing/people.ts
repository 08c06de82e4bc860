/** People with limited rights in tests of webhooks, and how their requests end. */

import { uniqueName } from "@drover/env";
import { mayDo } from "@drover/platform";
import { ApiError, apiVersionOf, type Client, type Kind, type KubeObject } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, type PolicyRule, Role, RoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningAdmission } from "../../testing/admission.ts";

/** Somebody, with a client whose requests the webhooks judge. */
export interface Person {
  readonly name: string;
  readonly client: Client;
}

/** How a request was refused. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** Somebody who holds these rules, everywhere or in a namespace; resolves when the API server knows the first of them. */
export async function aPerson(
  running: Pick<RunningAdmission, "own" | "as">,
  rules: readonly [PolicyRule, ...PolicyRule[]],
  namespace?: string,
): Promise<Person> {
  const { own } = running;
  const name = uniqueName("person");
  await grant(own, name, rules, namespace);
  const [{ verbs, apiGroups, resources }] = rules;
  const attributes = {
    verb: verbs[0] ?? "",
    group: apiGroups?.[0] ?? "",
    resource: resources?.[0] ?? "",
    ...(namespace === undefined ? {} : { namespace }),
  };
  await eventually(() => mayDo(own, { username: name, groups: [] }, attributes), {
    within: 10_000,
  });
  return { name, client: running.as(name) };
}

/** Gives somebody more rules. */
export async function grant(
  own: Client,
  username: string,
  rules: readonly PolicyRule[],
  namespace?: string,
): Promise<void> {
  const [role, binding] =
    namespace === undefined ? [ClusterRole, ClusterRoleBinding] : [Role, RoleBinding];
  const metadata = {
    name: uniqueName("rights"),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const roleRef = { apiGroup: role.group, kind: role.kind, name: metadata.name };
  const subjects = [{ kind: "User", apiGroup: role.group, name: username }];
  await own.create({ ...identity(role), metadata, rules } as KubeObject);
  await own.create({ ...identity(binding), metadata, roleRef, subjects } as KubeObject);
}

/** A rule of management.cattle.io. */
export function mayWrite(kind: Kind, ...verbs: readonly string[]): PolicyRule {
  return {
    verbs: verbs.length === 0 ? ["create", "update", "patch", "delete"] : verbs,
    apiGroups: [kind.group],
    resources: [kind.plural],
  };
}

/** A rule of the core group. */
export function may(verb: string, resource: string): PolicyRule {
  return { verbs: [verb], apiGroups: [""], resources: [resource] };
}

/** The refusal of a request, which must be refused. */
export async function refusal(request: Promise<unknown>): Promise<Refusal> {
  try {
    await request;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return { code: thrown.code, message: thrown.message };
  }
  throw new Error("the request was accepted");
}

/** Repeats a request until it is accepted: caches may not know its maker's rights yet. */
export async function accepted<T>(request: () => Promise<T>): Promise<T> {
  return (await eventually(async () => ({ answer: await request() }), { within: 10_000 })).answer;
}

/** The object for requests that shall not fail because it was changed since. */
export function anyVersion<T extends KubeObject>(object: T): T {
  const { uid: _, resourceVersion: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function identity(kind: Kind): Pick<KubeObject, "apiVersion" | "kind"> {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
