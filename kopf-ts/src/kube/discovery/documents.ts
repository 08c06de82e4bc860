/** Reads discovery documents of all three forms (apidiscovery.k8s.io v2 and v2beta1, and the older lists). Pure. */

import type { Discovery, DiscoveryFailure, ServedKind } from "./discover.ts";

interface AggregatedDocument {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly AggregatedGroup[] | null;
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly AggregatedVersion[] | null;
}

interface AggregatedVersion {
  readonly version: string;
  readonly freshness?: string;
  readonly resources?: readonly AggregatedResource[] | null;
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: {
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
  };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[] | null;
  readonly shortNames?: readonly string[] | null;
  readonly categories?: readonly string[] | null;
  readonly subresources?: readonly { readonly subresource: string }[] | null;
}

interface LegacyResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singularName?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group and version that a server lists. */
export interface ListedVersion {
  readonly apiVersion: string;
  readonly preferred: boolean;
}

/** Whether a document is aggregated discovery; a server that does not know it answers an older list. */
export function isAggregated(document: unknown): document is AggregatedDocument {
  return kindOf(document) === "APIGroupDiscoveryList";
}

/** Everything in an aggregated document; the first version of a group is the preferred one. */
export function aggregatedKinds({ items }: AggregatedDocument): Discovery {
  const versions = (items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? []).map((version, index) => ({
      ...version,
      group: metadata?.name ?? "",
      preferred: index === 0,
    })),
  );
  return {
    kinds: versions.flatMap(({ resources, ...version }) =>
      (resources ?? []).filter(isKind).map((resource) => fromAggregated(version, resource)),
    ),
    failures: versions
      .filter(({ freshness }) => freshness === "Stale")
      .map(({ group, version }) => stale(group, version)),
  };
}

/** Not subresources without a resource, nor resources whose kind nobody can tell. */
function isKind({ responseKind }: AggregatedResource): boolean {
  return responseKind?.kind !== undefined && responseKind.kind !== "";
}

function stale(group: string, version: string): DiscoveryFailure {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { apiVersion, message: `${apiVersion} does not answer, what is known of it may be old` };
}

function fromAggregated(
  { group, version, preferred }: Pick<ServedKind, "group" | "version" | "preferred">,
  resource: AggregatedResource,
): ServedKind {
  return {
    group,
    version,
    plural: resource.resource,
    kind: resource.responseKind?.kind ?? "",
    scope: resource.scope === "Namespaced" ? "Namespaced" : "Cluster",
    verbs: resource.verbs ?? [],
    singular: resource.singularResource ?? "",
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
    preferred,
  };
}

/** The versions that an APIVersions or APIGroupList document lists. */
export function legacyVersions(document: unknown): readonly ListedVersion[] {
  if (kindOf(document) === "APIVersions") {
    const { versions } = document as { readonly versions?: readonly string[] };
    return (versions ?? []).map((apiVersion, index) => ({ apiVersion, preferred: index === 0 }));
  }
  if (kindOf(document) !== "APIGroupList") return [];
  const { groups } = document as { readonly groups?: readonly LegacyGroup[] };
  return (groups ?? []).flatMap(({ versions, preferredVersion }) =>
    versions.map(({ groupVersion }) => ({
      apiVersion: groupVersion,
      preferred: groupVersion === preferredVersion?.groupVersion,
    })),
  );
}

interface LegacyGroup {
  readonly versions: readonly { readonly groupVersion: string }[];
  readonly preferredVersion?: { readonly groupVersion: string };
}

/** The kinds in an APIResourceList document. `preferred` is not known here and false. */
export function legacyKinds(apiVersion: string, document: unknown): readonly ServedKind[] {
  if (kindOf(document) !== "APIResourceList") return [];
  const { resources = [] } = document as { readonly resources?: readonly LegacyResource[] };
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => fromLegacy(group, version, resource, resources));
}

function fromLegacy(
  group: string,
  version: string,
  { name, kind, namespaced, singularName, verbs, shortNames, categories }: LegacyResource,
  all: readonly LegacyResource[],
): ServedKind {
  return {
    group,
    version,
    plural: name,
    kind,
    scope: namespaced ? "Namespaced" : "Cluster",
    verbs: verbs ?? [],
    singular: singularName ?? "",
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    subresources: all
      .filter((other) => other.name.startsWith(`${name}/`))
      .map((other) => other.name.slice(name.length + 1)),
    preferred: false,
  };
}

function kindOf(document: unknown): unknown {
  return typeof document === "object" && document !== null && "kind" in document
    ? document.kind
    : undefined;
}
