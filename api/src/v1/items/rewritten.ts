/** Objects whose bytes cannot go into answers as they are. */

import { parseExact, unlessTooDeep, writeExact } from "../json.ts";
import { listAt, mapAt, textAt } from "../tree.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { isTold } from "../types/told.ts";
import { settled, type Tree } from "./settle.ts";

/** Top-level keys that answers have for themselves; those of the object's own get an underscore. */
const ours = ["id", "type", "links", "actions"];
/** Members of metadata that answers have for themselves. */
const computed = ["fields", "relationships", "state", "associatedData"];

/**
 * The bytes of the object as answers of its type show it, and without what our members would be a second time; undefined where there is nothing to change, as with
 * almost all objects.
 */
export function rewritten(
  bytes: Buffer,
  object: Tree,
  type: ResourceType,
  ofCache: boolean,
): Buffer | undefined {
  if (!isUnclean(object, type) && settled(type, object, ofCache) === object) return undefined;
  return unlessTooDeep(() => {
    const exact = parseExact(bytes.toString()) as Tree; // the same object, with its long numbers
    return ownBytes(writeExact(settled(type, cleaned(exact), ofCache)));
  });
}

/** In a buffer of their own: one of Node's pool would keep 64 KiB of others' bytes alive. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function isUnclean(object: Tree, type: ResourceType): boolean {
  const metadata = mapAt(object, "metadata") ?? {};
  const members = isTold(type) ? computed.filter((key) => key !== "fields") : computed; // those are cut out
  return (
    shadowed(object).length > 0 ||
    members.some((key) => Object.hasOwn(metadata, key)) ||
    listAt(object, "status", "conditions").some((each) => twice(each).length > 0)
  );
}

function cleaned(object: Tree): Tree {
  const metadata = without(mapAt(object, "metadata") ?? {}, computed);
  const clean = { ...without(object, shadowed(object)), metadata };
  const status = mapAt(object, "status");
  if (!Array.isArray(status?.conditions)) return clean;
  const conditions = status.conditions.map((each: unknown) =>
    twice(each).length === 0 ? each : without(mapAt(each) ?? {}, twice(each)),
  );
  return { ...clean, status: { ...status, conditions } };
}

/** Keys with an underscore that renamed ones take the place of. */
function shadowed(object: Tree): readonly string[] {
  return ours
    .filter((key) => Object.hasOwn(object, key))
    .map((key) => `_${key}`)
    .filter((key) => Object.hasOwn(object, key));
}

/** What a condition has already of that which is added to it. */
function twice(condition: unknown): readonly string[] {
  const members = mapAt(condition) ?? {};
  const isTimeless =
    Object.hasOwn(members, "lastUpdateTime") && textAt(members, "lastUpdateTime") === "";
  const flags = ["error", "transitioning"].filter((key) => Object.hasOwn(members, key));
  return isTimeless ? [...flags, "lastUpdateTime"] : flags;
}

function without(map: Tree, keys: readonly string[]): Tree {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}
