/** Bodies of requests: bytes within a limit, and JSON or YAML that is safe to look at. */

import type { Exchange } from "./stage.ts";
import { Problem, problem } from "./v1/problem.ts";
import { turnFor } from "./v1/slices.ts";
import type { YamlReader } from "./yaml/index.ts";

/** Bytes of a body, unless somebody says otherwise (apiserver: pkg/parse/read_input.go). */
export const usualLimit: number = 2 * 1024 * 1024;

/** Deeper JSON is refused: whoever walks it does so by recursion. The API server's own schemas stay below 100. */
const deepest = 500;
/** More values than any object has. */
const mostValues = 250_000;
/** With more values JSON is not read on the event loop: keys that differ, and numbers that JavaScript cannot hold, may take 2 ms for 1,000 of them. */
export const manyValues: number = 10_000;

/**
 * The whole body; a long one has a turn of the event loop to itself. Throws a Problem: 413 as soon as it is longer than `limit` bytes, whatever its Content-Length said, and then the connection
 * ends behind the answer; 415 for a compressed one; 422 InvalidBodyContent when whoever sends it stops.
 */
export async function readBody(
  { request, response }: Pick<Exchange, "request" | "response">,
  limit: number,
): Promise<Buffer> {
  const { "content-length": length = "0", "content-encoding": encoding = "identity" } =
    request.headers;
  if (encoding.toLowerCase() !== "identity") {
    throw problem("UnsupportedMediaType", "a compressed body is not read", "Content-Encoding");
  }
  const tooLong = (): Problem => {
    // What is still to come would be taken for the next request, or be read for nothing.
    if (!response.headersSent) response.setHeader("Connection", "close");
    return problem("RequestEntityTooLarge", `a body may have ${limit} bytes`, "body");
  };
  if (Number(length) > limit) throw tooLong();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Without `destroyOnReturn` the connection would end before it has heard why.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > limit) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw invalid("it broke off", cause);
  }
  if (size > limit) throw tooLong();
  const [only] = chunks;
  const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
  await turnFor(body);
  return body;
}

/**
 * The value in a body: YAML where the content type is exactly `application/yaml`, JSON otherwise. Throws a Problem 422 InvalidBodyContent that
 * quotes nothing of it; `__proto__` is a name like others. Numbers beyond what a double holds lose digits.
 */
export async function parseBody(
  body: Buffer,
  contentType: string | undefined,
  { yaml, signal }: { readonly yaml: YamlReader; readonly signal: AbortSignal },
): Promise<unknown> {
  if (contentType !== "application/yaml") return parseJson(body);
  return parseJson(Buffer.from(await yaml.toJson(textOf(body), signal)));
}

/** As parseBody, of JSON of at most `manyValues`. */
export function parseJson(body: Buffer): unknown {
  checkJson(body, manyValues);
  try {
    return JSON.parse(textOf(body));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw invalid("it is no JSON", cause); // the parser's message repeats parts of the body, which may be secret
  }
}

/** Throws a Problem for JSON that is too deep, or of too many values. Returns how many these are, or more. Cheap, and no proof that it is JSON. */
export function checkJson(body: Uint8Array, most: number = mostValues): number {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at);
    else if (byte === comma) values++;
    else if (byte === openBrace || byte === openBracket) {
      depth++;
      values++;
      if (depth > deepest) throw invalid(`it is nested deeper than ${deepest}`);
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  if (values > most) throw invalid(`it has more than ${most} values`);
  return values;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Where the text that begins at `at` ends. */
function endOfText(body: Uint8Array, at: number): number {
  for (let end = at + 1; end < body.length; end++) {
    if (body[end] === backslash) end++;
    else if (body[end] === quote) return end;
  }
  return body.length;
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw invalid("it is no UTF-8", cause);
  }
}

function invalid(why: string, cause?: unknown): Problem {
  return new Problem(422, "InvalidBodyContent", `Failed to parse body: ${why}`, "body", cause);
}
