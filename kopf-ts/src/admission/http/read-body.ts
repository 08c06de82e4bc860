import type { IncomingMessage } from "node:http";
import { ReviewError } from "../review/review-error.ts";

/**
 * Bytes of an AdmissionReview: two objects of at most 3 MiB each (apiserver: MaxRequestBodyBytes) and what is around them. The same as
 * controller-runtime's (pkg/webhook/admission/http.go).
 */
export const mostBytes: number = 7 * 1024 * 1024;

/** The whole body. Rejects with a ReviewError: 413 as soon as it is too large, 499 when whoever sends it stops. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge();
  try {
    return await collect(request);
  } catch (cause) {
    if (cause instanceof ReviewError) throw cause;
    throw new ReviewError("the connection broke within the request", { status: 499, cause });
  }
}

/** Leaves the request open when it stops early: destroying it would take the connection along, and the answer with it. */
async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(): ReviewError {
  return new ReviewError(`an AdmissionReview may have ${mostBytes} bytes`, { status: 413 });
}
