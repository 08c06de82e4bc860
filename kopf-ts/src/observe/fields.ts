/** Turns what callers pass as log fields into plain data that is safe to write: no secrets, no cycles, no giants. */

import { type Fields, messageOf } from "../base/index.ts";
import { isSecretName, redacted, shownText } from "./secrets.ts";

/** How fields are cleaned. */
export interface FieldOptions {
  /** Errors carry their stack. */
  readonly stacks: boolean;
  /** Shapes of secrets beside the known ones; each needs the flag `g`. */
  readonly secretShapes?: readonly RegExp[];
}

/** Deeper values are shown as their type only; a log line is no place for whole objects. */
const deepest = 4;
const longestText = 8192;
const longestList = 64;

/** Names that belong to the line itself; a field of that name gets an underscore behind it. */
const reserved = new Set(["level", "time", "msg"]);

/** A plain copy of the fields. Never throws, whatever the values do. */
export function cleanFields(fields: Fields, options: FieldOptions): Record<string, unknown> {
  try {
    return cleanRecord(fields, options, 0);
  } catch (thrown) {
    return { fieldsLost: cleanText(messageOf(thrown), options) };
  }
}

function cleanRecord(
  record: object,
  options: FieldOptions,
  depth: number,
): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || typeof value === "function") continue;
    const key = depth === 0 && reserved.has(name) ? `${name}_` : name;
    clean[key] = hides(name, value) ? redacted : cleanValue(value, options, depth + 1);
  }
  return clean;
}

/** Numbers and flags under a secret name are counts and states, not secrets. */
function hides(name: string, value: unknown): boolean {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return false;
  return isSecretName(name);
}

function cleanValue(value: unknown, options: FieldOptions, depth: number): unknown {
  if (typeof value === "string") return cleanText(value, options);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return cleanError(value, options);
  return cleanObject(value, options, depth);
}

function cleanObject(value: object, options: FieldOptions, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return cleanText(value.href, options);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > deepest) return Array.isArray(value) ? "[array]" : "[object]";
  if (Array.isArray(value)) return cleanList(value, options, depth);
  if (value instanceof Set) return cleanList([...value], options, depth);
  if (value instanceof Map) return cleanRecord(Object.fromEntries(value), options, depth);
  return cleanRecord(value, options, depth);
}

function cleanList(list: readonly unknown[], options: FieldOptions, depth: number): unknown {
  const shown = list.slice(0, longestList).map((each) => cleanValue(each, options, depth + 1));
  if (list.length > longestList) shown.push(`[${list.length - longestList} more]`);
  return shown;
}

function cleanText(text: string, { secretShapes }: FieldOptions): string {
  return shownText(text, longestText, secretShapes);
}

/** The message with those of its causes, the class, what an API error adds, and the stack where wanted. */
function cleanError(error: Error, options: FieldOptions): Record<string, unknown> {
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: unknown };
  return {
    message: cleanText(wholeMessage(error), options),
    type: cleanText(String(error.name), options),
    ...(typeof code === "number" ? { code } : {}),
    ...(typeof code === "string" ? { code: cleanText(code, options) } : {}),
    ...(typeof reason === "string" ? { reason: cleanText(reason, options) } : {}),
    ...(options.stacks ? { stack: cleanText(wholeStack(error), options) } : {}),
  };
}

function wholeMessage(error: Error): string {
  const own = messageOf(error);
  if (!(error instanceof AggregateError)) return own;
  const parts = error.errors.slice(0, longestList).map((each) => messageOf(each));
  return [own, ...parts].filter((part) => part !== "").join("; ");
}

function wholeStack(error: Error): string {
  const stacks: string[] = [];
  const seen = new Set<unknown>();
  for (let each: unknown = error; each instanceof Error && !seen.has(each); each = each.cause) {
    if (seen.size >= longestList) break;
    seen.add(each);
    stacks.push(each.stack ?? String(each));
  }
  return stacks.join("\ncaused by ");
}
