/** Bodies of requests as objects. */

import { parseDocument } from "yaml";
import { Problem, problem } from "../problem.ts";
import { parseJson } from "./json.ts";

/** An object that came from outside: anything may be in it. */
export type Sent = Readonly<Record<string, unknown>>;

/** Bytes of YAML at most: it is read in one go, at some 10 MB/s, and nobody else is served meanwhile. */
const longestYaml = 256 * 1024;

/**
 * The object in a body of JSON, or of YAML where the content type is exactly that (apiserver: pkg/parse/read_input.go); an empty body is an empty object. Forms and
 * plain text are refused, which pages of others could send in a visitor's name. Throws a Problem.
 */
export function readObject(body: Buffer, contentType: string | undefined): Sent {
  const type = mediaType(contentType);
  if (body.length === 0) return {};
  if (type === "application/yaml") return objectIn(parseYaml(body));
  if (type === "application/json" || type === "") return objectIn(parsed(body));
  throw unsupported(contentType);
}

/** As readObject, for bytes that are known to be JSON. */
export function readJson(body: Buffer): Sent {
  return objectIn(parsed(body));
}

/** What a Content-Type says without its parameters, in lower case; empty for none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The problem of a content type that nobody reads. */
export function unsupported(contentType: string | undefined): Error {
  return problem(
    "UnsupportedMediaType",
    `content type ${JSON.stringify((contentType ?? "").slice(0, 100))} is not supported`,
    "Content-Type",
  );
}

/** The problem of a body that cannot be read. */
export function unreadable(why: string, cause?: unknown): Error {
  return new Problem(422, "InvalidBodyContent", `Failed to parse body: ${why}`, "body", cause);
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch (cause) {
    throw unreadable("no JSON", cause); // what the parser says would repeat parts of the body, which may be secret
  }
}

function parseYaml(body: Buffer): unknown {
  if (body.length > longestYaml) {
    throw problem("RequestEntityTooLarge", "YAML may have 256 KiB; send JSON", "body");
  }
  const document = parseDocument(body.toString(), { merge: true, intAsBigInt: true });
  const [error] = document.errors;
  const at = error?.linePos?.[0];
  if (error !== undefined) throw unreadable(`no YAML, at line ${at?.line ?? 1}: ${error.code}`);
  try {
    return document.toJS();
  } catch (cause) {
    throw unreadable("no YAML that can be told in JSON", cause); // too many aliases
  }
}

function objectIn(value: unknown): Sent {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unreadable("no object");
  }
  return value as Sent;
}
