/** What becomes of an object that a caller sends, before the API server gets it (steve: pkg/stores/sqlproxy/proxy_store.go). Pure. */

import { apiVersionOf, type Kind } from "kopf-ts";
import { problem } from "../problem.ts";
import { mapAt, textAt } from "../tree.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { Sent } from "./content.ts";
import { withoutOurs } from "./ours.ts";

/** An object and the namespace it goes to; undefined outside of namespaces. */
export interface Prepared {
  readonly object: Sent;
  readonly namespace: string | undefined;
}

/** As much of a type as writes look at. */
export type WrittenType = Pick<ResourceType, "id" | "kind" | "verbs">;

/** An object that is to be made: its kind is that of the type, and it has a name or the beginning of one. Throws a Problem where a namespace is missing, or metadata is no object. */
export function toCreate(type: WrittenType, sent: Sent, namespace: string | undefined): Prepared {
  if ((sent.metadata ?? null) !== null && mapAt(sent, "metadata") === undefined) {
    throw problem("InvalidBodyContent", "metadata has to be an object", "metadata");
  }
  const object = ofKind(type, sent);
  const metadata = { ...mapAt(object, "metadata") };
  const isNameless = textAt(metadata, "name") === "" && textAt(metadata, "generateName") === "";
  if (isNameless && isKept(type)) metadata.generateName = namePrefix(type.kind.kind);
  return { ...placed(type.kind, metadata, namespace), object: { ...object, metadata } };
}

/** Reviews are answered and forgotten: they may have no name (kubernetes: pkg/apis/authorization/validation). Steve's get one, and are refused. */
function isKept({ verbs }: WrittenType): boolean {
  return verbs.includes("get") || verbs.includes("list");
}

/** An object that is to replace another. Throws a Problem unless it says which state of that one it is made from. */
export function toUpdate(
  type: WrittenType,
  sent: Sent,
  place: { readonly namespace: string | undefined; readonly name: string },
): Sent {
  const object = ofKind(type, sent);
  const metadata = { ...mapAt(object, "metadata") };
  if (textAt(metadata, "resourceVersion") === "") {
    const missing = "metadata.resourceVersion";
    throw problem("MissingRequired", `${missing} is required for update`, missing);
  }
  if (textAt(metadata, "name") === "") metadata.name = place.name;
  placed(type.kind, metadata, place.namespace);
  return { ...object, metadata };
}

/** `u-` of User, `gr-` of GlobalRole (steve: pkg/schema/converter/k8stonorman.go). */
export function namePrefix(kind: string): string {
  return `${(kind.slice(0, 1) + kind.slice(1).replaceAll(/[^A-Z]/g, "")).toLowerCase()}-`;
}

function ofKind(type: WrittenType, sent: Sent): Sent {
  const { kind } = type;
  const { apiVersion: _a, kind: _k, ...rest } = withoutOurs(sent, type.id);
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...rest };
}

/** The namespace of the path, else of the object. Where both are told and differ, the API server says so. */
function placed(
  { scope }: Kind,
  metadata: Record<string, unknown>,
  namespace: string | undefined,
): Pick<Prepared, "namespace"> {
  if (scope === "Cluster") return { namespace: undefined };
  const own = textAt(metadata, "namespace");
  const place = namespace ?? own;
  if (place === "") {
    const missing = "metadata.namespace";
    throw problem("InvalidBodyContent", `${missing} or apiOp.namespace are required`, missing);
  }
  if (own === "") metadata.namespace = place;
  return { namespace: place };
}
