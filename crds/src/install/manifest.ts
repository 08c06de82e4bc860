/** The CRDs as files beside this package's sources: one YAML per kind, named like the CRD. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  apiVersionOf,
  type Condition,
  defineKind,
  type Kind,
  type KubeObject,
  resourceName,
} from "kopf-ts";
import { parse } from "yaml";
import { difference } from "./difference.ts";

/** A CRD, as far as it is looked into here. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
    };
    readonly versions: readonly CrdVersion[];
    /** Only CRDs born as v1beta1 have it true: then nothing is ever pruned. */
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly storedVersions?: readonly string[];
  };
}

export const CustomResourceDefinition: Kind<CustomResourceDefinition> = defineKind({
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  scope: "Cluster",
});

/** One version of a CRD. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources?: { readonly status?: Readonly<Record<never, never>> };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: Schema };
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
}

/** The part of an OpenAPI v3 schema that our CRDs use. */
export interface Schema {
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly format?: "int64" | "date-time";
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** Where the YAML files are: the package's own folder, two above both src/install and dist/install. */
const folder = join(import.meta.dirname, "..", "..");

/** The file with a kind's CRD. */
export function manifestFile(kind: Kind): string {
  return join(folder, `${resourceName(kind)}.yaml`);
}

/** Reads a kind's CRD. An error names the file and what is wrong with it. */
export async function readManifest(kind: Kind): Promise<CustomResourceDefinition> {
  const file = manifestFile(kind);
  const text = await readFile(file, "utf8");
  try {
    return parseManifest(text, kind);
  } catch (cause) {
    throw new Error(`${file} is not the CRD of ${kind.kind}`, { cause });
  }
}

/** Parses a CRD and checks that it declares `kind`, in its version and no other; throws what is wrong. */
export function parseManifest(text: string, kind: Kind): CustomResourceDefinition {
  const crd: unknown = parse(text);
  const wrong = difference(declarationOf(kind), crd, "it");
  if (wrong !== undefined) throw new Error(wrong);
  return crd as CustomResourceDefinition;
}

/** The schema of a manifest's only version. */
export function schemaOf(manifest: CustomResourceDefinition): Schema {
  return versionOf(manifest).schema.openAPIV3Schema;
}

/** The only version of a manifest that was read. */
export function versionOf({ metadata, spec }: CustomResourceDefinition): CrdVersion {
  const [version] = spec.versions;
  if (version === undefined) throw new Error(`${metadata.name} has no version`);
  return version;
}

/** What a CRD has to say to be the one of `kind`. */
function declarationOf({ group, version, kind, plural, scope }: Kind): unknown {
  return {
    apiVersion: apiVersionOf(CustomResourceDefinition),
    kind: CustomResourceDefinition.kind,
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  };
}
