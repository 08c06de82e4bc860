/** Keeps what servers and callers write from becoming any number of series: a series is never forgotten while its cluster is there. */

/** Reasons of Kubernetes (apimachinery: pkg/apis/meta/v1/types.go, StatusReason), of answers that never came, and of a watch itself. */
const reasons: ReadonlySet<string> = new Set([
  "AlreadyExists",
  "BadRequest",
  "Conflict",
  "Expired",
  "Forbidden",
  "Gone",
  "InternalError",
  "Invalid",
  "MethodNotAllowed",
  "NotAcceptable",
  "NotFound",
  "RequestEntityTooLarge",
  "ServerTimeout",
  "ServiceUnavailable",
  "StoreReadError",
  "Timeout",
  "TooManyRequests",
  "Unauthorized",
  "Unknown",
  "UnsupportedMediaType",
  "BadAnswer",
  "Closed",
  "NoCredentials",
  "UnknownKind",
  "Unreachable",
  "Untrusted",
  "ListBroken",
  "Restored",
  "ShortWatch",
  "Stalled",
]);

/** The reason, or `Other` for one that a server made up. */
export function knownReason(reason: string): string {
  return reasons.has(reason) ? reason : "Other";
}

/** Lets the first values through, and `other` for what comes once there are too many. */
export class FirstFew {
  readonly #most: number;
  readonly #known = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value itself when it is among the first `most`. */
  admit(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#most) return "other";
    this.#known.add(value);
    return value;
  }
}
