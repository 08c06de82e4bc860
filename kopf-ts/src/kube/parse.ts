/** Reads JSON and answers into objects. */

import type { ObjectList } from "./client.ts";
import { ApiError } from "./errors.ts";
import type { Answer } from "./http/answer.ts";
import { headerOf } from "./http/answer.ts";
import { apiVersionOf, type Kind } from "./kind.ts";
import type { KubeObject } from "./object.ts";

/** What was asked, for messages. */
interface Asked {
  readonly method: string;
  readonly path: string;
}

/** The object in an answer; throws `BadAnswer` when it holds none. */
export function parseObject<T>(asked: Asked, server: string, { status, headers, body }: Answer): T {
  if (status >= 300) {
    const to = headerOf(headers, "location");
    const where = to === undefined ? "" : ` and points to ${withoutQuery(to)}`;
    throw badAnswer(asked, `${server} answered ${status}${where}${doubt}`);
  }
  const parsed = parseAnswer(asked, server, body);
  if (typeof parsed === "object" && parsed !== null) return parsed as T; // the API server keeps its schema
  throw badAnswer(asked, `${server} answered JSON that is no object${doubt}`);
}

/** The JSON in an answer; throws `BadAnswer`, without the parser's own error as its cause: see parseJson. */
export function parseAnswer(asked: Asked, server: string, body: Buffer): unknown {
  const parsed = tryJson(body.toString("utf8"));
  if (parsed !== undefined) return parsed;
  throw badAnswer(asked, `${server} answered what is not JSON${doubt}`);
}

/**
 * Parses JSON that may hold secrets. Throws a SyntaxError that says where the text is broken as far as the parser tells, but never
 * quotes it, neither in its message nor through a cause: V8's own error shows the text around the fault, which may be half a password.
 */
export function parseJson(text: string): unknown {
  const read = readJson(text);
  if ("value" in read) return read.value;
  throw new SyntaxError(`the text is no valid JSON${read.place}`);
}

/** The parsed text; undefined, which no JSON text means, for what is no JSON. */
export function tryJson(text: string): unknown {
  const read = readJson(text);
  return "value" in read ? read.value : undefined;
}

function readJson(text: string): { readonly value: unknown } | { readonly place: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { place: placeOf(thrown) };
  }
}

/** Numbers only, from the end of the message, which is the parser's own and never the text's. */
function placeOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : "";
  return / at position \d+(?: \(line \d+ column \d+\))?$/.exec(message)?.[0] ?? "";
}

const doubt = "; is this the address of an API server?";

/** A list as a page of objects that carry apiVersion and kind, which items of built-in lists lack. */
export function toList<T extends KubeObject>(kind: Kind<T>, answer: unknown): ObjectList<T> {
  const asked = { method: "GET", path: kind.plural };
  const { items: found, metadata } = answer as Partial<ListAnswer>;
  const items = found === null ? [] : found; // Go's nil slice
  if (!Array.isArray(items)) {
    throw badAnswer(asked, `the list of ${kind.plural} has no items`);
  }
  const apiVersion = apiVersionOf(kind);
  for (const item of items) {
    if (typeof item !== "object" || item === null) {
      throw badAnswer(asked, `the list of ${kind.plural} holds what is no object`);
    }
    item.apiVersion ??= apiVersion;
    item.kind ??= kind.kind;
  }
  return {
    items: items as unknown as readonly T[],
    ...positionOf(metadata ?? {}),
  };
}

function positionOf(metadata: ListAnswer["metadata"]): Omit<ObjectList<never>, "items"> {
  const { resourceVersion, continue: next, remainingItemCount } = metadata;
  return {
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    ...(typeof next === "string" && next !== "" ? { continue: next } : {}),
    ...(typeof remainingItemCount === "number" ? { remainingItemCount } : {}),
  };
}

interface ListAnswer {
  readonly items: ({ apiVersion?: string; kind?: string } | null)[] | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

function badAnswer({ method, path }: Asked, text: string): ApiError {
  const message = `${method} ${path}: ${text}`;
  return new ApiError({ message, code: 0, reason: "BadAnswer", method, path });
}

function withoutQuery(url: string): string {
  return url.split("?")[0] ?? "";
}
