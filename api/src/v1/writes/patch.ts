/** Patches on their way to the API server. Pure. */

import { mediaType, unsupported } from "./content.ts";

const strategic = "application/strategic-merge-patch+json";

/** What the API server reads as a patch (kubernetes: apiserver/pkg/endpoints/handlers/patch.go). */
const patchTypes: readonly string[] = [
  strategic,
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/apply-patch+cbor",
];

/** How a patch goes to the API server. */
export interface PatchForm {
  readonly contentType: string;
  /** It has the form of an object, and names what is named otherwise there. */
  readonly isReworked: boolean;
}

/**
 * A patch as the API server gets it: the content type is the kind of patch, a strategic merge patch when none is told, and the bytes are those of the caller, but
 * for `_type` and its like in patches that have the form of an object. Throws a Problem for other content types.
 */
export function patchForm(body: Buffer, told: string | undefined): PatchForm {
  const contentType = mediaType(told) || strategic;
  if (!patchTypes.includes(contentType)) throw unsupported(told, patchTypes);
  const isObject = contentType.endsWith("merge-patch+json");
  return { contentType, isReworked: isObject && namesOurs(body) };
}

/** Few patches do; the rest goes on as it came. */
function namesOurs(body: Buffer): boolean {
  return /"_?(?:id|type|links|actions)"/.test(body.toString("latin1"));
}
