/** Leaves out, empties and shortens parts of an object (steve: pkg/resources/common/formatter.go; wrangler: pkg/data/values.go). Pure. */

import { mapAt } from "../tree.ts";
import { isExact } from "./exact.ts";
import type { Shape } from "./item.ts";
import type { Tree } from "./settle.ts";
import { pathOf } from "./shape.ts";

/** Paths lead through maps alone. First what to include, then what to exclude, then what to empty, then texts are cut. */
export function reshaped(object: Tree, shape: Shape): Tree {
  const { include, exclude, excludeValues, truncate } = shape;
  const chosen = include.length === 0 ? object : included(object, include.map(pathOf));
  const kept = exclude.map(pathOf).reduce(excluded, chosen);
  const emptied = excludeValues.map(pathOf).reduce(valuesExcluded, kept);
  return truncate === undefined ? emptied : truncated(emptied, truncate);
}

type Path = readonly string[];

function included(object: Tree, paths: readonly Path[]): Tree {
  return paths.reduce<Tree>((chosen, path) => {
    const map = mapAt(object, ...path.slice(0, -1));
    const key = path.at(-1);
    if (map === undefined || key === undefined || !Object.hasOwn(map, key)) return chosen;
    return put(chosen, path, map[key]);
  }, {});
}

/** Maps are made on the way; what is no map is left as it is. */
export function put(object: Tree, [key, ...rest]: Path, value: unknown): Tree {
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  const below = Object.hasOwn(object, key) ? mapAt(object, key) : {};
  return below === undefined ? object : { ...object, [key]: put(below, rest, value) };
}

function excluded(object: Tree, [key, ...rest]: Path): Tree {
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  const { [key]: value, ...others } = object;
  if (rest.length === 0) return others;
  const below = mapAt(value);
  return below === undefined ? object : { ...object, [key]: excluded(below, rest) };
}

function valuesExcluded(object: Tree, path: Path): Tree {
  const map = mapAt(object, ...path);
  if (map === undefined) return object;
  return put(object, path, Object.fromEntries(Object.keys(map).map((key) => [key, ""])));
}

/** What tells an object from others is not cut. */
const [ownIdentity, identity] = [
  ["apiVersion", "kind"],
  ["name", "namespace", "uid", "resourceVersion"],
];

/** Texts deeper than this are left as they are. */
const deepest = 200;

function truncated(object: Tree, length: number): Tree {
  const metadata = mapAt(object, "metadata");
  const cut = truncatedMap(object, length, 0, ownIdentity);
  return metadata === undefined
    ? cut
    : { ...cut, metadata: truncatedMap(metadata, length, 1, identity) };
}

function truncatedMap(map: Tree, length: number, depth: number, kept?: readonly string[]): Tree {
  const entries = Object.entries(map).map(([key, value]) =>
    kept?.includes(key) === true ? [key, value] : [key, truncatedValue(value, length, depth + 1)],
  );
  return Object.fromEntries(entries);
}

function truncatedValue(value: unknown, length: number, depth: number): unknown {
  if (typeof value === "string") return cut(value, length);
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((each) => truncatedValue(each, length, depth + 1));
  return isExact(value) ? value : truncatedMap(value as Tree, length, depth);
}

/** No character is cut in two. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}
