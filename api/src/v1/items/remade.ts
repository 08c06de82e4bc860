/** Items in the shape that was asked for, made from parsed ones (steve: pkg/resources/common/formatter.go, pkg/resources/formatters). */

import { listAt, textAt } from "../tree.ts";
import type { Types } from "../types/resource-type.ts";
import type { ItemContext } from "./item.ts";
import { permissions } from "./permissions.ts";
import type { Piece } from "./piece.ts";
import { hasReleases, type ReadRelease, withRelease } from "./releases/release.ts";
import { put, reshaped } from "./reshape.ts";
import { settled, type Tree } from "./settle.ts";
import { podState } from "./state.ts";

/** Whether the shape asks for more than managedFields to be left out. */
export function isRemade({ type, shape }: Pick<ItemContext, "type" | "shape">): boolean {
  return (
    shape.include.length > 0 ||
    shape.exclude.some((path) => path !== "metadata.managedFields") ||
    shape.excludeValues.length > 0 ||
    shape.truncate !== undefined ||
    shape.checkPermissions.length > 0 ||
    (shape.includeHelmData && hasReleases(type))
  );
}

/** What an item is remade with. */
export interface RemadeParts extends ItemContext {
  readonly types: Pick<Types, "find">;
  readonly piece: Piece;
  /** The release of the object, if it was read in advance. */
  readonly release: ReadRelease | undefined;
}

/**
 * Remakes an object with all that answers add to it. What a type's answers change is changed last, so that a Pod has its state by the fields that are shown, and a setting its
 * default even if its value was excluded.
 */
export function remade(object: Tree, parts: RemadeParts): Tree {
  const { type, shape } = parts;
  const shaped = reshaped(type.id === "pod" ? withPlainState(object, parts.piece) : object, shape);
  const permitted = withPermissions(shaped, object, parts);
  if (type.id === "pod") return withPodState(permitted);
  if (shape.includeHelmData && hasReleases(type))
    return withRelease(permitted, type, parts.release);
  return settled(type, permitted, false);
}

function withPlainState(object: Tree, { plainState }: Piece): Tree {
  const { state } = JSON.parse(`{${plainState}}`) as { readonly state: unknown };
  return put(object, ["metadata", "state"], state);
}

function withPodState(object: Tree): Tree {
  const status = listAt(object, "metadata", "fields")[2];
  if (typeof status !== "string") return object;
  return put(object, ["metadata", "state", "name"], podState(status));
}

function withPermissions(shaped: Tree, object: Tree, parts: RemadeParts): Tree {
  if (parts.shape.checkPermissions.length === 0) return shaped;
  const namespace = namespaceOf(object, parts.piece);
  return { ...shaped, resourcePermissions: permissions(parts, parts.types, namespace) };
}

/** The namespace that an object stands for: a project or cluster has one of its own. */
function namespaceOf(object: Tree, { identity }: Piece): string {
  const { namespace, name } = identity;
  const own = namespace === "" ? name : `${namespace}-${name}`;
  return textAt(object, "status", "backingNamespace") || own;
}
