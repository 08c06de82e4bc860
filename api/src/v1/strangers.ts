/**
 * What somebody learns of a namespace in which he may see something, but not the namespace (steve: pkg/resources/formatters/namespace.go). Whatever of it is not shown must
 * not be found out by questions either: to these it is as if it were not there.
 */

import { matches, parseSelector } from "kopf-ts";
import { type Access, isNothing } from "./access/access.ts";
import type { Tree } from "./items/settle.ts";
import { annotationOf, type FieldPath, fieldText, labelOf } from "./query/field.ts";
import { partsOfSelector } from "./query/selectors.ts";
import { mapAt, textAt } from "./tree.ts";
import type { ResourceType } from "./types/resource-type.ts";

const shownAnnotations = ["management.cattle.io/system-namespace", "field.cattle.io/projectId"];
const shownLabels = ["fleet.cattle.io/managed"];
const shownFields = [
  ...["id", "apiVersion", "kind", "metadata.name"],
  ...["metadata.resourceVersion", "status.phase"],
];

/** Whether all that a caller sees of a type's objects is what strangers see: namespaces, to whoever may neither list nor get any. */
export function isStranger(
  { id, kind }: Pick<ResourceType, "id" | "kind">,
  access: Access,
): boolean {
  return id === "namespace" && isNothing(access.reach(["list", "get"], kind), kind.scope);
}

/** A namespace as strangers see it. */
export function strangersNamespace(namespace: Tree, name: string): Tree {
  const version = textAt(namespace, "metadata", "resourceVersion");
  const phase = textAt(namespace, "status", "phase");
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: chosen(mapAt(namespace, "metadata", "labels"), shownLabels),
      annotations: chosen(mapAt(namespace, "metadata", "annotations"), shownAnnotations),
      ...(version === "" ? {} : { resourceVersion: version }),
    },
    spec: {},
    status: phase === "" ? {} : { phase },
  };
}

function chosen(map: Tree = {}, keys: readonly string[]): Tree {
  return Object.fromEntries(keys.filter((key) => key in map).map((key) => [key, map[key]]));
}

/** Whether strangers see a field. */
export function isShownToStrangers(path: FieldPath): boolean {
  const [label, annotation] = [labelOf(path), annotationOf(path)];
  if (label !== undefined) return shownLabels.includes(label);
  if (annotation !== undefined) return shownAnnotations.includes(annotation);
  return shownFields.includes(fieldText(path));
}

/** What is left of a label selector, for strangers, to whom no other labels are there than those that they see; undefined when nothing can match. */
export function selectorFor(
  selector: string,
  type: Pick<ResourceType, "id" | "kind">,
  access: Access,
): string | undefined {
  if (!isStranger(type, access)) return selector;
  const requirements = partsOfSelector(selector);
  const isShown = (text: string): boolean =>
    parseSelector(text).every(({ key }) => shownLabels.includes(key));
  const hidden = requirements.filter((each) => !isShown(each));
  if (!matches(parseSelector(hidden.join()), {})) return undefined;
  return requirements.filter(isShown).join();
}
