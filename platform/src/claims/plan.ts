/** What to do about shared objects. Pure. */

import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "kopf-ts";
import type { RoleRef } from "kopf-ts/kinds";
import { type Claim, type Claimant, claimOn, claimsOn } from "./marks.ts";

/** One request, or the discovery that there can be none. */
export type Step =
  | { readonly do: "create"; readonly object: KubeObject }
  | { readonly do: "replace"; readonly live: KubeObject; readonly object: KubeObject }
  | { readonly do: "patch"; readonly live: KubeObject; readonly merge: unknown }
  | { readonly do: "delete"; readonly live: KubeObject }
  /** Somebody else's object has the name. */
  | { readonly do: "leave"; readonly live: KubeObject };

type Texts = Readonly<Record<string, string>>;

/** Towards an object that the claimant wants; nothing where it is in order, or has to go before it can come back. */
export function stepToward(
  object: KubeObject,
  live: KubeObject | undefined,
  claimant: Claimant,
  adopts: (live: KubeObject) => boolean = () => false,
): Step | undefined {
  const own = claimOn(object, claimant);
  if (live === undefined) return { do: "create", object: dressed(object, [own]) };
  if (live.metadata.deletionTimestamp !== undefined) return undefined;
  const claims = claimsOn(live);
  const isOurs = claims.length > 0 || isLabelled(live, claimant) || adopts(live);
  if (!isOurs) return { do: "leave", live };
  const others = claims.filter(({ name }) => name !== own.name);
  if (grantsOtherwise(live, object)) {
    return { do: "replace", live, object: dressed(object, [...others, own]) };
  }
  const merge = missing(dressed(object, [own]), live);
  return merge === undefined ? undefined : { do: "patch", live, merge };
}

/**
 * Away from an object that the claimant wants no longer. Others that claim it keep it, but not those in clusters that are `gone`; one that only others claim is
 * theirs, whatever older label it has.
 */
export function stepAway(
  live: KubeObject,
  claimant: Claimant,
  gone: ReadonlySet<string> = new Set(),
): Step | undefined {
  if (live.metadata.deletionTimestamp !== undefined) return undefined;
  const own = claimOn(live, claimant);
  const claims = claimsOn(live);
  const others = claims.filter(({ name }) => name !== own.name);
  if (claims.length > 0 && others.length === claims.length) return undefined;
  if (others.every(({ cluster }) => gone.has(cluster))) return { do: "delete", live };
  const { label } = claimant;
  const isShared = label === undefined || others.some((each) => each.label === label);
  const { resourceVersion } = live.metadata;
  const metadata = {
    resourceVersion,
    annotations: { [own.name]: null },
    ...(!isShared && { labels: { [label]: null } }),
  };
  return { do: "patch", live, merge: { metadata } };
}

function dressed(object: KubeObject, claims: readonly Claim[]): KubeObject {
  const { labels, annotations } = object.metadata;
  const owners = claims.flatMap(({ label }) => (label === undefined ? [] : [[label, "true"]]));
  const marks = claims.map(({ name, value }) => [name, value]);
  const metadata = {
    ...object.metadata,
    labels: { ...labels, ...Object.fromEntries(owners) },
    annotations: { ...annotations, ...Object.fromEntries(marks) },
  };
  return { ...object, metadata };
}

function isLabelled({ metadata }: KubeObject, { label }: Claimant): boolean {
  return label !== undefined && metadata.labels?.[label] === "true";
}

/** As far as bindings are told apart from all else. */
type Granting = KubeObject & { readonly roleRef?: RoleRef; readonly subjects?: unknown };

/** A roleRef cannot be changed; and who is granted something else is another binding. */
function grantsOtherwise(live: KubeObject, wanted: KubeObject): boolean {
  const [stored, asked]: readonly Granting[] = [live, wanted]; // absent on all but bindings
  return (
    asked?.roleRef !== undefined &&
    !(
      isDeepStrictEqual(stored?.roleRef, asked.roleRef) &&
      isDeepStrictEqual(stored?.subjects, asked.subjects)
    )
  );
}

/** The merge patch that adds what is missing, for this very object; undefined when nothing is. */
function missing(wanted: KubeObject, live: KubeObject): unknown {
  const labels = added(wanted.metadata.labels, live.metadata.labels);
  const annotations = added(wanted.metadata.annotations, live.metadata.annotations);
  const fields = content(wanted).filter(
    ([name, value]) => !isDeepStrictEqual(value, (live as unknown as Fields)[name]),
  );
  if (labels === undefined && annotations === undefined && fields.length === 0) return undefined;
  const { uid } = live.metadata;
  const metadata = { uid, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { ...Object.fromEntries(fields), metadata };
}

type Fields = Readonly<Record<string, unknown>>;

function content(object: KubeObject): readonly (readonly [string, unknown])[] {
  return Object.entries(object).filter(
    ([name]) => !["apiVersion", "kind", "metadata", "roleRef", "subjects"].includes(name),
  );
}

function added(wanted: Texts = {}, live: Texts = {}): Texts | undefined {
  const lacking = Object.entries(wanted).filter(([name, value]) => live[name] !== value);
  return lacking.length === 0 ? undefined : Object.fromEntries(lacking);
}
