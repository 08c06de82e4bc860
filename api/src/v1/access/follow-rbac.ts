/** Keeps a graph in step with the roles and bindings of a cluster. */

import { rulesOf, subjectKey } from "@drover/platform";
import type { CacheChange, Informers, Kind, KubeObject } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "kopf-ts/kinds";
import type { Binding, RbacGraph } from "./graph.ts";

/** Resolves when everything is known for the first time; follows until the signal aborts, and then rejects with its reason. */
export async function followRbac(
  informers: Informers,
  graph: RbacGraph,
  signal: AbortSignal,
): Promise<void> {
  const toRole = ({ key, current }: Told<Role | ClusterRole>) =>
    graph.setRole(key, rulesOf(current));
  const toBinding = ({ key, current }: Told<RoleBinding | ClusterRoleBinding>) =>
    graph.setBinding(key, current && bindingOf(key, current));
  await Promise.all([
    follow(informers, ClusterRole, toRole, signal),
    follow(informers, Role, toRole, signal),
    follow(informers, ClusterRoleBinding, toBinding, signal),
    follow(informers, RoleBinding, toBinding, signal),
  ]);
}

interface Told<T> {
  readonly key: string;
  /** Undefined for what is gone. */
  readonly current: T | undefined;
}

async function follow<T extends KubeObject>(
  informers: Informers,
  kind: Kind<T>,
  tell: (told: Told<T>) => void,
  signal: AbortSignal,
): Promise<void> {
  const informer = informers.acquire(kind);
  signal.addEventListener("abort", () => informer.release(), { once: true });
  // Others may have kept this kind without its bytes, which are then still on their way.
  await informer.whenSynced(signal);
  const listener = (change: CacheChange<T>): void =>
    tell({ key: change.key, current: change.current() });
  const subscription = informer.cache.subscribe(listener, { replay: true });
  signal.addEventListener("abort", () => subscription[Symbol.dispose](), { once: true });
  await subscription.replayed;
}

/** What is being deleted counts until it is gone, as in Kubernetes. */
function bindingOf(key: string, binding: RoleBinding | ClusterRoleBinding): Binding {
  const { metadata, roleRef, subjects } = binding;
  const { namespace } = metadata;
  const keys = (subjects ?? []).map((subject) => subjectKey(subject, namespace));
  const isRole = roleRef.kind === Role.kind;
  return {
    key,
    namespace,
    role: isRole ? `${namespace ?? ""}/${roleRef.name}` : roleRef.name,
    subjects: [...new Set(keys.filter((each) => each !== undefined))],
  };
}
