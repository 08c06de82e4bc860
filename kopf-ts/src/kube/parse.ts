/** Reads answers into objects. */

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
  const parsed = parseJson(asked, server, body);
  if (typeof parsed === "object" && parsed !== null) return parsed as T; // the API server keeps its schema
  throw badAnswer(asked, `${server} answered JSON that is no object${doubt}`);
}

/** The JSON in an answer; throws `BadAnswer`. The parser's own error is dropped: it quotes the text, which may be of a Secret. */
export function parseJson(asked: Asked, server: string, body: Buffer): unknown {
  const parsed = tryParse(body.toString("utf8"));
  if (parsed !== undefined) return parsed;
  throw badAnswer(asked, `${server} answered what is not JSON${doubt}`);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON text means undefined
  }
}

const doubt = "; is this the address of an API server?";

/** A list as a page of objects that carry apiVersion and kind, which items of built-in lists lack. */
export function toList<T extends KubeObject>(kind: Kind<T>, answer: unknown): ObjectList<T> {
  const { items: found, metadata } = answer as Partial<ListAnswer>;
  const items = found === null ? [] : found; // Go's nil slice
  if (!Array.isArray(items)) {
    throw badAnswer(
      { method: "GET", path: kind.plural },
      `the list of ${kind.plural} has no items`,
    );
  }
  const apiVersion = apiVersionOf(kind);
  for (const item of items) {
    item.apiVersion ??= apiVersion;
    item.kind ??= kind.kind;
  }
  return {
    items: items as unknown as readonly T[],
    resourceVersion: metadata?.resourceVersion ?? "",
    ...(metadata?.continue ? { continue: metadata.continue } : {}),
    ...(metadata?.remainingItemCount === undefined
      ? {}
      : { remainingItemCount: metadata.remainingItemCount }),
  };
}

interface ListAnswer {
  readonly items: { apiVersion?: string; kind?: string }[] | null;
  readonly metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
}

function badAnswer({ method, path }: Asked, text: string): ApiError {
  const message = `${method} ${path}: ${text}`;
  return new ApiError({ message, code: 0, reason: "BadAnswer", method, path });
}

function withoutQuery(url: string): string {
  return url.split("?")[0] ?? "";
}
