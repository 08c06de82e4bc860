/** The two questions an error answers for the reconcile loop: retry or not, and when. */

/** Options of TemporaryError. */
export interface TemporaryErrorOptions extends ErrorOptions {
  /** Milliseconds until the next attempt; without it the per-key back-off decides. */
  readonly delay?: number;
}

/** Thrown when another attempt can succeed without anybody changing the object. */
export class TemporaryError extends Error {
  override readonly name = "TemporaryError";
  readonly delay: number | undefined;

  constructor(message: string, options: TemporaryErrorOptions = {}) {
    super(message, options);
    this.delay = options.delay;
  }
}

/** Thrown when no attempt can succeed until the object changes; it is not retried. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}

/** The message of anything thrown, with those of its causes behind it unless it ends with them already. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.cause === undefined) return thrown.message;
  const behind = messageOf(thrown.cause);
  return thrown.message.endsWith(behind) ? thrown.message : `${thrown.message}: ${behind}`;
}
