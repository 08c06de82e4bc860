/** Reads the body of a request, up to a limit. */

import type { IncomingMessage } from "node:http";
import { problem } from "../problem.ts";
import { unreadable } from "./content.ts";

/** Bytes of a body at most (apiserver: pkg/parse/read_input.go). */
export const longestBody: number = 2 << 20;

/** The whole body. Throws a Problem for one that is too long, compressed, or that breaks off. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > longestBody) throw tooLong();
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw problem("UnsupportedMediaType", "compressed bodies are not read", "Content-Encoding");
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Without `destroyOnReturn` the connection would end before it has heard why.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      length += chunk.length;
      if (length > longestBody) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw unreadable("it broke off", cause);
  }
  if (length > longestBody) throw tooLong();
  return Buffer.concat(chunks);
}

function tooLong(): Error {
  return problem("RequestEntityTooLarge", `a body may have ${longestBody} bytes`, "body");
}
