/** One version of each kind, out of all that are served (steve: pkg/schema/converter/discovery.go; pkg/controllers/schema). Pure. */

import type { ServedKind } from "kopf-ts";
import { typeId } from "./names.ts";
import { isCacheable } from "./resource-type.ts";

/** A kind in the version that callers get, and what the server prefers where that is something else. */
export interface ChosenKind {
  readonly served: ServedKind;
  readonly preferredVersion: string | undefined;
  readonly preferredGroup: string | undefined;
}

/** Groups whose kinds went to another one. */
const movedGroups: Readonly<Record<string, string | undefined>> = { extensions: "apps" };

/** Where a group prefers the first, the second is taken if it is served. */
const betterVersions: Readonly<Record<string, string | undefined>> = {
  "autoscaling/v1": "v2beta2",
};

/** Kinds that went to another group alone, version for version. */
const movedKinds: Readonly<Record<string, string | undefined>> = {
  "extensions/v1beta1 ingress": "networking.k8s.io/v1beta1 ingress",
};

/** The kinds by type id. One that can be listed and watched is left out where its preferred version has it too; others are not judged by that. */
export function chooseKinds(kinds: readonly ServedKind[]): ReadonlyMap<string, ChosenKind> {
  const versions = preferredVersions(kinds);
  const served = new Set(kinds.map(versionedName));
  const chosen = new Map<string, ChosenKind>();
  for (const kind of kinds) {
    const preferred = preferenceOf(kind, versions);
    if (isCacheable(kind) && isSurpassed(kind, preferred, served)) continue;
    const id = typeId(kind.group, kind.kind);
    const rival = chosen.get(id);
    if (rival === undefined || rank(kind) > rank(rival.served)) {
      chosen.set(id, { served: kind, ...preferred });
    }
  }
  return chosen;
}

/** The version that each group prefers. */
function preferredVersions(kinds: readonly ServedKind[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const { group, version, preferred } of kinds) {
    if (preferred) versions.set(group, version);
  }
  for (const { group, version } of kinds) {
    if (betterVersions[`${group}/${versions.get(group)}`] === version) versions.set(group, version);
  }
  return versions;
}

type Preference = Pick<ChosenKind, "preferredVersion" | "preferredGroup">;

function preferenceOf(
  { group, version }: ServedKind,
  versions: ReadonlyMap<string, string>,
): Preference {
  const preferred = versions.get(group);
  return {
    preferredVersion: preferred === version ? undefined : preferred,
    preferredGroup: movedGroups[group],
  };
}

function isSurpassed(
  kind: ServedKind,
  { preferredVersion, preferredGroup }: Preference,
  served: ReadonlySet<string>,
): boolean {
  const moved = movedKinds[versionedName(kind)];
  if (moved !== undefined && served.has(moved)) return true;
  if (preferredVersion === undefined && preferredGroup === undefined) return false;
  const group = preferredGroup ?? kind.group;
  const version = preferredVersion ?? kind.version;
  return served.has(versionedName({ group, version, kind: kind.kind }));
}

/** Of several resources or versions with one id, the one that can do most; the first of equals, which discovery names in order of preference. */
function rank(kind: ServedKind): number {
  const { verbs, preferred } = kind;
  return Number(isCacheable(kind)) * 4 + Number(preferred) * 2 + Number(verbs.includes("create"));
}

function versionedName({ group, version, kind }: Pick<ServedKind, "group" | "version" | "kind">) {
  return `${group}/${version} ${kind.toLowerCase()}`;
}
