/** Bodies of requests as objects. */

import { checkJson, readBody, usualLimit } from "../../body.ts";
import type { Exchange } from "../../stage.ts";
import type { YamlReader } from "../../yaml/index.ts";
import { parseSent } from "../json.ts";
import { Problem, problem } from "../problem.ts";

/** An object that came from outside: anything may be in it. */
export type Sent = Readonly<Record<string, unknown>>;

/** How a body is read. */
export interface Reading {
  readonly yaml: Pick<YamlReader, "toJson">;
  readonly signal: AbortSignal;
  /** Whether an empty body is an empty object; refused unless told. */
  readonly mayBeEmpty?: boolean;
}

/**
 * The body of a request as JSON, which is what it says it is, or YAML where the content type is exactly that (apiserver: pkg/parse/read_input.go). Forms and plain text are
 * refused, which pages of others could send in a visitor's name. Throws a Problem.
 */
export async function readSent(exchange: Exchange, reading: Reading): Promise<Buffer> {
  const told = exchange.request.headers["content-type"];
  return jsonOf(await readBody(exchange, usualLimit), told, reading);
}

/** As readSent, of bytes. */
export async function jsonOf(
  body: Buffer,
  contentType: string | undefined,
  { yaml, signal, mayBeEmpty = false }: Reading,
): Promise<Buffer> {
  const type = mediaType(contentType);
  if (body.length === 0 && mayBeEmpty) return Buffer.from("{}");
  if (body.length === 0) throw unreadable("it is empty");
  if (type === "application/yaml") return Buffer.from(await yaml.toJson(textOf(body), signal));
  if (type === "application/json" || type === "") return body;
  throw unsupported(contentType, ["application/json", "application/yaml"]);
}

/** The object in JSON, to be written again with `writeExact`. Throws a Problem, also for more than `most` values. */
export function readJson(body: Buffer, most?: number): Sent {
  checkJson(body, most);
  const value = parsed(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unreadable("it is no object");
  }
  return value as Sent;
}

/** What a Content-Type says without its parameters, in lower case; empty for none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The problem of a content type that is none of those that are read. */
export function unsupported(contentType: string | undefined, read: readonly string[]): Problem {
  const told = JSON.stringify((contentType ?? "").slice(0, 100));
  const message = `content type ${told} is not supported, only ${read.join(", ")}`;
  return problem("UnsupportedMediaType", message, "Content-Type");
}

function parsed(body: Buffer): unknown {
  try {
    return parseSent(textOf(body));
  } catch (cause) {
    throw unreadable("it is no JSON", cause); // what the parser says repeats parts of the body, which may be secret
  }
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw unreadable("it is no UTF-8", cause);
  }
}

function unreadable(why: string, cause?: unknown): Problem {
  return new Problem(422, "InvalidBodyContent", `Failed to parse body: ${why}`, "body", cause);
}
