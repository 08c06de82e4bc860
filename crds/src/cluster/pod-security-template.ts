import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** A preset of pod security admission that clusters can be given. */
export interface PodSecurityAdmissionConfigurationTemplate extends KubeObject {
  readonly description?: string;
  readonly configuration?: {
    readonly defaults?: PodSecurityDefaults;
    readonly exemptions?: PodSecurityExemptions;
  };
}

export const PodSecurityAdmissionConfigurationTemplate: Kind<PodSecurityAdmissionConfigurationTemplate> =
  managementKind(
    "PodSecurityAdmissionConfigurationTemplate",
    "podsecurityadmissionconfigurationtemplates",
    "Cluster",
  );

/** Levels are privileged, baseline or restricted; versions latest or for example v1.35. */
export interface PodSecurityDefaults {
  readonly enforce?: string;
  readonly "enforce-version"?: string;
  readonly audit?: string;
  readonly "audit-version"?: string;
  readonly warn?: string;
  readonly "warn-version"?: string;
}

/** What is never checked. */
export interface PodSecurityExemptions {
  readonly usernames?: readonly string[] | null;
  readonly runtimeClasses?: readonly string[] | null;
  readonly namespaces?: readonly string[] | null;
}
