/** Leaves out, empties and shortens parts of an object (steve: pkg/resources/common/formatter.go; wrangler: pkg/data/values.go). Pure. */

import { isExact } from "../json.ts";
import { mapAt } from "../tree.ts";
import type { Shape } from "./item.ts";
import type { Tree } from "./settle.ts";
import { pathOf } from "./shape.ts";

/** Paths lead through maps alone. First what to include, then what to exclude, then what to empty, then texts are cut. */
export function reshaped(object: Tree, shape: Shape): Tree {
  const { include, exclude, excludeValues, truncate } = shape;
  const chosen = include.length === 0 ? object : included(object, branchOf(include));
  const kept = changed(chosen, branchOf(exclude), () => undefined);
  const emptied = changed(kept, branchOf(excludeValues), withoutValues);
  return truncate === undefined ? emptied : truncated(emptied, truncate);
}

/** Paths, joined where they begin alike: a map is gone through once, however many lead into it. */
interface Branch {
  readonly below: Map<string, Branch>;
  /** One of the paths ends here. */
  isEnd: boolean;
}

function branchOf(paths: readonly string[]): Branch {
  const root: Branch = { below: new Map(), isEnd: false };
  for (const path of paths) {
    let branch = root;
    for (const key of pathOf(path)) {
      const next = branch.below.get(key) ?? { below: new Map(), isEnd: false };
      branch.below.set(key, next);
      branch = next;
    }
    branch.isEnd = true;
  }
  return root;
}

function included(object: Tree, { below }: Branch): Tree {
  const entries = [...below].flatMap(([key, branch]) => {
    if (!Object.hasOwn(object, key)) return [];
    if (branch.isEnd) return [[key, object[key]] as const];
    const inner = included(mapAt(object[key]) ?? {}, branch);
    return Object.keys(inner).length === 0 ? [] : [[key, inner] as const];
  });
  return Object.fromEntries(entries);
}

/** With something else where the paths end; undefined leaves out what is there. */
function changed(object: Tree, { below }: Branch, change: (value: unknown) => unknown): Tree {
  const found = [...below].filter(([key]) => Object.hasOwn(object, key));
  if (found.length === 0) return object;
  const copy: Record<string, unknown> = { ...object };
  for (const [key, branch] of found) {
    const [value, map] = [object[key], mapAt(object[key])];
    const other = branch.isEnd ? change(value) : map && changed(map, branch, change);
    if (other !== undefined) copy[key] = other;
    else if (branch.isEnd) delete copy[key];
  }
  return copy;
}

function withoutValues(value: unknown): unknown {
  const map = mapAt(value);
  return map === undefined ? value : Object.fromEntries(Object.keys(map).map((key) => [key, ""]));
}

/** Maps are made on the way; what is no map is left as it is. */
export function put(object: Tree, [key, ...rest]: readonly string[], value: unknown): Tree {
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  const below = Object.hasOwn(object, key) ? mapAt(object, key) : {};
  return below === undefined ? object : { ...object, [key]: put(below, rest, value) };
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
  return truncatedMap(value as Tree, length, depth);
}

/** No character is cut in two. */
function cut(text: string, length: number): string {
  if (text.length <= length || isExact(text)) return text;
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}
