/**
 * The first place where `actual` lacks something that `expected` has, in words; undefined when there is none. `actual` may
 * have more keys, but lists are compared item by item and must be of one length.
 */
export function difference(expected: unknown, actual: unknown, path = ""): string | undefined {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length) {
    return `${path} has ${actual.length} items, not ${expected.length}`;
  }
  if (!isContainer(expected) || !isContainer(actual)) {
    return expected === actual
      ? undefined
      : `${path} is ${inWords(actual)}, not ${inWords(expected)}`;
  }
  for (const [key, value] of Object.entries(expected)) {
    const found = difference(value, actual[key], path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function inWords(value: unknown): string {
  const json = value === undefined ? "absent" : JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 77)}...` : json;
}
