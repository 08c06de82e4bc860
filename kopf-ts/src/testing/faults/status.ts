import { reasonsByCode } from "../../kube/index.ts";

/** The Status of a failure, as an API server words it. */
export function statusBody(failure: {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly retryAfter?: number | undefined;
}): string {
  const { code, retryAfter } = failure;
  const reason = failure.reason ?? reasons[code] ?? "Unknown";
  return JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: failure.message ?? `injected fault: ${code} ${reason}`,
    reason,
    ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
    code,
  });
}

/** A watch that begins too far back is told that this is over, not that the object is. */
const reasons: Readonly<Record<number, string>> = { ...reasonsByCode, 410: "Expired" };
