import { type Clock, exponential, type Logger, messageOf } from "../base/index.ts";

/** What trying again takes. */
export interface PersistOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** What is done, for the log: `prepare`. */
  readonly what: string;
  /** Told why the last attempt failed. */
  readonly onFailure: (reason: string) => void;
  /** Errors that no other attempt can get rid of; none unless told. */
  readonly isFatal?: (error: unknown) => boolean;
}

const backoff = { min: 1000, max: 30_000 };

/** Tries until it succeeds, after 1 s up to 30 s. Rejects when the signal aborts, and with what is fatal. */
export async function persist(
  work: () => Promise<void>,
  signal: AbortSignal,
  { clock, log, what, onFailure, isFatal = () => false }: PersistOptions,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      log.error(`cannot ${what} yet, trying again`, { error });
      onFailure(messageOf(error));
    }
    await clock.sleep(exponential(attempt, backoff), signal);
  }
}
