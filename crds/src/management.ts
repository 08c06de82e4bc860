/** What all kinds of this group have in common. */

import { type Condition, defineKind, type Kind, type KubeObject, type Scope } from "kopf-ts";

/** API group and version of every kind here. */
const group = "management.cattle.io";
const version = "v3";

/** Declares a kind of management.cattle.io/v3. */
export function managementKind<T extends KubeObject>(
  kind: string,
  plural: string,
  scope: Scope,
): Kind<T> {
  return defineKind<T>({ group, version, plural, kind, scope });
}

/** An object whose fields nobody here looks into. */
export type Opaque = Readonly<Record<string, unknown>>;

/** Amounts by resource name (cpu, memory, pods), as Kubernetes quantities. */
export type ResourceList = Readonly<Record<string, number | string>>;

/** A condition in Norman's older shape: no generation, times as text (norman: condition/condition.go). */
export type NormanCondition = Omit<Condition, "observedGeneration">;

/** A condition in the shape of metav1.Condition. */
export type MetaCondition = Required<Omit<Condition, "lastUpdateTime" | "observedGeneration">> &
  Pick<Condition, "observedGeneration">;
