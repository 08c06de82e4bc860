/** Conditions that mean an error because the environment says so (wrangler: pkg/summary/gvk.go). */

import { listAt, textAt } from "../tree.ts";
import { type ErrorStatuses, ofKinds } from "./errors.ts";

/** Who says so. */
export const errorMappingVariable = "CATTLE_WRANGLER_CHECK_GVK_ERROR_MAPPING";

/** By `group/version/Kind`; merged with what is known of these kinds. */
export type ErrorMapping = ReadonlyMap<string, ErrorStatuses>;

const kindForm = /^([^/]*)\/([^/]*), Kind=(.+)$/;

/**
 * Reads `[{"gvk": "example.com/v1, Kind=Thing", "conditionMappings": [{"type": "Failed", "status": ["True"]}]}]`. The statuses of a condition take the place of those that are known,
 * other conditions stay. Nothing is told by an empty text. Throws an Error that says what is wrong.
 */
export function parseErrorMapping(text = ""): ErrorMapping {
  if (text === "") return new Map();
  const written = parsed(text);
  if (!Array.isArray(written)) throw new Error(`${errorMappingVariable} is no list`);
  return new Map(written.map(mappingIn));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${errorMappingVariable} is no JSON`, { cause });
  }
}

function mappingIn(written: unknown): readonly [string, ErrorStatuses] {
  const gvk = textAt(written, "gvk");
  const [, group, version, kind] = kindForm.exec(gvk) ?? [];
  if (kind === undefined) {
    throw new Error(
      `${errorMappingVariable}: "${gvk}" is not of the form group/version, Kind=kind`,
    );
  }
  const key = `${group}/${version}/${kind}`;
  const own = listAt(written, "conditionMappings").map((each) => [
    textAt(each, "type"),
    listAt(each, "status").map(String),
  ]);
  return [key, { ...ofKinds[key], ...Object.fromEntries(own) }];
}
