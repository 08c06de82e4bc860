/** The two questions an error answers for the reconcile loop: retry or not, and when. */

/** Options of TemporaryError. */
export interface TemporaryErrorOptions extends ErrorOptions {
  /** Milliseconds until the next attempt; without it the per-key back-off decides. */
  readonly delay?: number;
  /** The trouble is not the object's: others meet it as well, in the same words, so that a controller's log tells it once for all of them. */
  readonly shared?: boolean;
}

/** Thrown when another attempt can succeed without anybody changing the object. */
export class TemporaryError extends Error {
  override readonly name = "TemporaryError";
  readonly delay: number | undefined;
  readonly shared: boolean;

  constructor(message: string, options: TemporaryErrorOptions = {}) {
    super(message, options);
    this.delay = options.delay;
    this.shared = options.shared ?? false;
  }
}

/** Thrown when no attempt can succeed until the object changes; it is not retried. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}

/** Causes further behind are left out; a chain has this many only when something is wrong. */
const MOST_CAUSES = 16;

/**
 * The message of anything thrown, with those of its causes behind it unless it ends with them already. Never throws: a cause that was told
 * before (an error may cause itself) ends the chain, and what cannot be turned into text is described.
 */
export function messageOf(thrown: unknown): string {
  const messages = chainOf(thrown).map(ownMessage);
  return messages.reduceRight((behind, own, index) => {
    const next = messages[index + 1] ?? "";
    if (own.endsWith(behind)) return own;
    return next !== "" && own.endsWith(next)
      ? own + behind.slice(next.length)
      : `${own}: ${behind}`;
  });
}

function chainOf(thrown: unknown): readonly unknown[] {
  const chain = new Set([thrown]);
  let cause = causeOf(thrown);
  while (cause !== undefined && !chain.has(cause) && chain.size <= MOST_CAUSES) {
    chain.add(cause);
    cause = causeOf(cause);
  }
  return [...chain];
}

function causeOf(thrown: unknown): unknown {
  try {
    return thrown instanceof Error ? thrown.cause : undefined;
  } catch {
    return undefined; // a getter or a proxy of somebody's
  }
}

function ownMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that has no text";
  }
}
