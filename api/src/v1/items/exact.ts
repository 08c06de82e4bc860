/** JSON with numbers that JavaScript cannot hold. */

/** May be such a number; most objects have none, and are read four times as fast. */
const long = /\d{16}/;

/** Parses; what is written again has the same long numbers. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return long.test(text) ? JSON.parse(text, keepSource) : JSON.parse(text);
}

function keepSource(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  return String(value) === source ? value : raw(source);
}

/** A value that is written as it stands (TC39: proposal-json-parse-with-source); in Node since version 21. */
function raw(source: string): unknown {
  const { rawJSON = Number } = JSON as { readonly rawJSON?: (text: string) => unknown };
  return rawJSON(source);
}

/** Whether a value is a number that is kept as its text. */
export function isExact(value: object): boolean {
  const { isRawJSON } = JSON as { readonly isRawJSON?: (value: unknown) => boolean };
  return isRawJSON?.(value) === true;
}

/** Nothing where objects are nested deeper than JavaScript can write them; nobody but a hostile user makes such. */
export function unlessTooDeep<T>(write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
