/** Fields that Steve copies from other objects (steve: pkg/stores/sqlproxy/proxy_store.go, ExternalGVKUpdates): answered by looking them up, so that nothing lags behind. */

import { type FieldPath, fieldText } from "../query/field.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** A value of another object. */
export interface Copied {
  /** The id of its type. */
  readonly type: string;
  /** Which object: the values of `own` fields here equal those of `other` fields there. */
  readonly by: readonly { readonly own: FieldPath; readonly other: FieldPath }[];
  readonly value: FieldPath;
}

/** Where the values of a field come from; undefined for what an object has itself. */
export function copiedOf({ id }: Pick<ResourceType, "id">, path: FieldPath): Copied | undefined {
  const fields = Object.hasOwn(copied, id) ? copied[id] : undefined;
  return fields?.get(fieldText(path));
}

const project = "management.cattle.io.project";
const name = ["metadata", "name"];
const displayName = ["spec", "displayName"];
const clusterName = ["spec", "clusterName"];

function label(key: string): FieldPath {
  return ["metadata", "labels", key];
}

/** A project is known by its name and its cluster. */
const scopedSecret = [
  { own: label("management.cattle.io/project-scoped-secret"), other: name },
  { own: label("management.cattle.io/project-scoped-secret-cluster"), other: clusterName },
];

const resources = ["allocatable", "requested"].flatMap((which) =>
  ["cpu", "cpuRaw", "memory", "memoryRaw", "pods"].map((key) => ["status", which, key]),
);

const copied: Readonly<Record<string, ReadonlyMap<string, Copied>>> = {
  namespace: byText([
    {
      type: project,
      by: [{ own: label("field.cattle.io/projectId"), other: name }],
      value: displayName,
    },
  ]),
  secret: byText([
    { type: project, by: scopedSecret, value: displayName },
    { type: project, by: scopedSecret, value: clusterName },
  ]),
  "provisioning.cattle.io.cluster": byText(
    resources.map((value) => ({
      type: "management.cattle.io.cluster",
      by: [{ own: ["status", "clusterName"], other: name }],
      value,
    })),
  ),
};

function byText(fields: readonly Copied[]): ReadonlyMap<string, Copied> {
  return new Map(fields.map((field) => [fieldText(field.value), field]));
}
