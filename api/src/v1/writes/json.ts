/** JSON that keeps every number as it was written. */

/** What JavaScript's numbers would change: long ones, and those with a point or an exponent. */
const delicate = /\d{16}|\d\.\d|\d[eE]/;

interface Source {
  readonly source?: string;
}

/** Numbers that JavaScript would write in another way are kept as their text. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return delicate.test(text) ? JSON.parse(text, keepText) : JSON.parse(text);
}

/** Writes what `parseJson` read, and big integers. Throws RangeError for what is nested too deeply. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "bigint" ? rawJson(String(each)) : each,
  );
}

function keepText(_key: string, value: unknown, context?: Source): unknown {
  const text = context?.source;
  if (typeof value !== "number" || text === undefined || String(value) === text) return value;
  return rawJson(text);
}

/** A value that is written as it stands (TC39: proposal-json-parse-with-source). */
function rawJson(text: string): unknown {
  const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };
  return rawJSON === undefined ? Number(text) : rawJSON(text);
}
