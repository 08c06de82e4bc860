/** Requests to the API server in the name of a caller. */

import { ApiError, type Client, type RawRequest, type RawResponse, warningsIn } from "kopf-ts";
import { impersonationOf } from "../../caller.ts";
import { Problem } from "../problem.ts";
import type { TypeRequest } from "../request.ts";

/** How long an answer may take, in milliseconds: longer than admission webhooks may (30 s), as long as the API server gives requests itself. */
const patience = 60_000;

/** What goes to the API server. Of all methods only GET is ever repeated: of the others nobody knows whether they were carried out. */
export interface Asked {
  readonly method: RawRequest["method"];
  /** With its query. */
  readonly path: string;
  readonly accept?: string;
  readonly body?: string | Uint8Array | undefined;
  readonly contentType?: string;
  /** Milliseconds, repetitions included; a minute unless told. */
  readonly timeout?: number | undefined;
}

/** A `metadata.resourceVersion` that is no number is a defect of its own to the API server (kubernetes: apiserver/pkg/storage/etcd3/api_object_versioner.go). */
function isUnreadableRevision(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError) || thrown.code !== 500) return false;
  return unreadable.test(thrown.status?.message ?? "");
}

const unreadable = /^strconv\.ParseUint: parsing ".*": (?:invalid syntax|value out of range)$/s;

function unreadableRevision(cause: unknown): Problem {
  const name = "metadata.resourceVersion";
  return new Problem(422, "InvalidFormat", `${name} is a revision, which is a number`, name, cause);
}

/**
 * Asks the API server as the caller. What it warns of goes into the answer. Throws ApiError with what it said; when the caller has gone, the signal's reason.
 */
export async function ask(
  client: Client,
  { exchange, signal }: TypeRequest,
  { method, path, accept, body, contentType, timeout = patience }: Asked,
): Promise<RawResponse> {
  const answer = await client
    .as(impersonationOf(exchange.login.caller))
    .request({
      ...{ method, path, signal, timeout },
      headers: {
        ...(accept !== undefined && { accept }),
        ...(contentType !== undefined && { "content-type": contentType }),
      },
      ...(body !== undefined && { body }),
    })
    .catch((thrown: unknown) => {
      const wait = thrown instanceof ApiError ? thrown.retryAfter : undefined;
      if (wait !== undefined) exchange.response.setHeader("Retry-After", Math.ceil(wait / 1_000));
      throw isUnreadableRevision(thrown) ? unreadableRevision(thrown) : thrown;
    });
  for (const text of textsIn(answer.headers.warning)) {
    exchange.response.appendHeader("Warning", text);
  }
  return answer;
}

/**
 * Each warning by itself, its text without quotes, as clients of Steve look for it (apiserver: pkg/types/server_types.go). What cannot stand in a header becomes a
 * question mark, so that no warning spoils an answer.
 */
function textsIn(values: string | readonly string[] | undefined): readonly string[] {
  return warningsIn([values ?? []].flat()).map(({ code, agent, text }) =>
    `${code} ${agent} ${text}`.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?"),
  );
}
