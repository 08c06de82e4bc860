/** What CustomResourceDefinitions say of their types. Pure. */

import { createHash } from "node:crypto";
import { at, listAt, mapAt, textAt } from "../tree.ts";
import { type CrdTable, crdTable } from "./columns/crd-columns.ts";

/** One version of a kind that a CustomResourceDefinition declares. */
export interface CrdVersion extends CrdTable {
  readonly description: string;
  readonly observesGeneration: boolean;
  /** Differs when anything of the version does. */
  readonly digest: string;
}

/** What a CustomResourceDefinition declares, as far as the server has accepted it. */
export interface Crd {
  readonly group: string;
  readonly kind: string;
  readonly versions: ReadonlyMap<string, CrdVersion>;
}

/** Reads a CustomResourceDefinition; undefined for one whose names were not accepted (yet), whatever its shape. */
export function readCrd(object: unknown): Crd | undefined {
  const kind = textAt(object, "status", "acceptedNames", "kind");
  if (textAt(object, "status", "acceptedNames", "plural") === "") return undefined;
  const versions = listAt(object, "spec", "versions").map((version) => {
    return [textAt(version, "name"), versionOf(version)] as const;
  });
  return { group: textAt(object, "spec", "group"), kind, versions: new Map(versions) };
}

/** The JSON schema of a version; undefined where there is none. */
export function schemaOf(object: unknown, version: string): unknown {
  const found = listAt(object, "spec", "versions").find((each) => textAt(each, "name") === version);
  return at(found, "schema", "openAPIV3Schema");
}

function versionOf(version: unknown): CrdVersion {
  const schema = at(version, "schema", "openAPIV3Schema");
  const status = mapAt(schema, "properties", "status", "properties");
  return {
    ...crdTable(version),
    description: textAt(schema, "description"),
    observesGeneration: status !== undefined && Object.hasOwn(status, "observedGeneration"),
    digest: createHash("sha256").update(JSON.stringify(version)).digest("base64url"),
  };
}
