/** Reads what may be anywhere in an object of any kind, and of any shape. */

/** The value at a path; undefined where the path leads nowhere. */
export function at(tree: unknown, ...keys: readonly string[]): unknown {
  let value = tree;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** The text at a path; numbers and booleans as they are written, nothing for the rest. */
export function textAt(tree: unknown, ...keys: readonly string[]): string {
  const value = at(tree, ...keys);
  if (typeof value === "string") return value;
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return isPlain || typeof value === "bigint" ? String(value) : "";
}

/** The list at a path; empty where there is none. */
export function listAt(tree: unknown, ...keys: readonly string[]): readonly unknown[] {
  const value = at(tree, ...keys);
  return Array.isArray(value) ? value : [];
}

/** The whole number at a path, as near as a double comes. */
export function wholeAt(tree: unknown, ...keys: readonly string[]): number | undefined {
  const value = at(tree, ...keys);
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

/** The keys and values of the map at a path; undefined where there is none. */
export function mapAt(
  tree: unknown,
  ...keys: readonly string[]
): Readonly<Record<string, unknown>> | undefined {
  const value = at(tree, ...keys);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** Whether something is true, or the word for it. */
export function isTrueAt(tree: unknown, ...keys: readonly string[]): boolean {
  return textAt(tree, ...keys).toLowerCase() === "true";
}
