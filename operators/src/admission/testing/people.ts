/** People with limited rights in tests of webhooks, and how their requests end. */

import { uniqueName } from "@drover/env";
import { ApiError, type Client, type Kind, type KubeObject } from "kopf-ts";
import type { PolicyRule } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningAdmission } from "../../testing/admission.ts";
import { give } from "../../testing/give.ts";

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

/** Somebody who holds these rules, everywhere or in a namespace; resolves when the API server knows. */
export async function aPerson(
  running: Pick<RunningAdmission, "own" | "as">,
  rules: readonly PolicyRule[],
  namespace?: string,
): Promise<Person> {
  const name = uniqueName("person");
  await give(running.own, name, rules, namespace);
  return { name, client: running.as(name) };
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
