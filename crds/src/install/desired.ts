/** What a CRD should become, given its manifest and what the cluster has: pure rules, no requests. */

import { labels } from "../names.ts";
import { difference } from "./difference.ts";
import type { CrdVersion, CustomResourceDefinition } from "./manifest.ts";

/** Values of the managed-by label under which a CRD may be taken over: upstream's and our own. */
const owners: readonly (string | undefined)[] = [undefined, "rancher", "drover"];

/** Why a CRD in the cluster must be left alone, in words with what to do; undefined when it may be applied. */
export function obstacle(
  manifest: CustomResourceDefinition,
  live: CustomResourceDefinition | undefined,
): string | undefined {
  if (live === undefined) return undefined;

  const owner = live.metadata.labels?.[labels.managedBy];
  if (!owners.includes(owner)) {
    return `it belongs to ${owner} (label ${labels.managedBy}); remove the label to hand it over`;
  }

  const { scope, names } = manifest.spec;
  const wrong = difference({ scope, names: { kind: names.kind } }, live.spec, "spec");
  if (wrong === undefined) return undefined;
  return `its ${wrong}, and that cannot be changed; save its objects, delete it and start again`;
}

/**
 * The CRD to apply. Versions that are in the cluster but not in the manifest stay as long as they are served or objects may
 * be stored in them: the API server reads those only while the version is declared. They are not written any more.
 */
export function desiredCrd(
  manifest: CustomResourceDefinition,
  live: CustomResourceDefinition | undefined,
): CustomResourceDefinition {
  // A precondition: other versions are merged here, so they must still be the ones that were read.
  const resourceVersion = live?.metadata.resourceVersion;
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: {
      ...manifest.spec,
      preserveUnknownFields: false,
      versions: [...manifest.spec.versions, ...otherVersions(manifest, live)],
    },
  };
}

function otherVersions(
  manifest: CustomResourceDefinition,
  live: CustomResourceDefinition | undefined,
): readonly CrdVersion[] {
  const ours = manifest.spec.versions.map(({ name }) => name);
  const stored = live?.status?.storedVersions ?? [];
  return (live?.spec.versions ?? [])
    .filter(({ name, served }) => !ours.includes(name) && (served || stored.includes(name)))
    .map((version) => ({ ...version, storage: false }));
}

/** The first thing about the CRD in the cluster that has to change, in words; undefined when nothing has. */
export function outdated(
  desired: CustomResourceDefinition,
  live: CustomResourceDefinition | undefined,
): string | undefined {
  if (live === undefined) return "it does not exist";
  const { preserveUnknownFields, versions, ...spec } = desired.spec;
  if (live.spec.preserveUnknownFields === true) return "spec.preserveUnknownFields is true";
  return (
    difference({ metadata: desired.metadata, spec }, live) ??
    difference(versions, live.spec.versions, "spec.versions") ??
    // The other way round: what the manifest dropped has to go as well.
    difference(live.spec.versions, versions, "the manifest's spec.versions")
  );
}

/** Why a CRD is not accepted yet, in words; undefined when it is. */
export function unready(live: CustomResourceDefinition | undefined): string | undefined {
  for (const type of ["NamesAccepted", "Established"]) {
    const condition = live?.status?.conditions?.find((one) => one.type === type);
    if (condition?.status === "True") continue;
    const { status = "absent", reason, message } = condition ?? {};
    return [`${type} is ${status}`, reason, message].filter(Boolean).join(": ");
  }
  return undefined;
}
