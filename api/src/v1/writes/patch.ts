/** Patches on their way to the API server. Pure. */

import { writeExact } from "../json.ts";
import { mediaType, readJson, unsupported } from "./content.ts";
import { named } from "./ours.ts";

const strategic = "application/strategic-merge-patch+json";

/** What the API server reads as a patch (kubernetes: apiserver/pkg/endpoints/handlers/patch.go). */
const patchTypes: readonly string[] = [
  strategic,
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/apply-patch+cbor",
];

/** A patch's bytes and what they are. */
export interface PreparedPatch {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/**
 * The patch as the API server gets it: the content type is the kind of patch, a strategic merge patch when none is told, and the bytes are those of the caller, but
 * for `_type` and its like in patches that have the form of an object. Throws a Problem.
 */
export function toPatch(body: Buffer, told: string | undefined, typeId: string): PreparedPatch {
  const contentType = mediaType(told) || strategic;
  if (!patchTypes.includes(contentType)) throw unsupported(told);
  const isObject = contentType.endsWith("merge-patch+json");
  if (!isObject || !namesOurs(body)) return { contentType, body };
  return { contentType, body: writeExact(named(readJson(body), typeId)) };
}

/** Few patches do; the rest goes on as it came. */
function namesOurs(body: Buffer): boolean {
  return /"_?(?:id|type|links|actions)"/.test(body.toString("latin1"));
}
