import { type Clock, exponential, fullJitter, type Logger, messageOf } from "../base/index.ts";
import { type Client, isForbidden } from "../kube/index.ts";

/** What waiting for a server needs. */
export interface ReachOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Told why the server does not answer, as often as it changes; undefined once it does. */
  readonly onFailure: (reason: string | undefined) => void;
}

const backoff = { min: 500, max: 10_000 };
/** The same reason is told again after this long. */
const reminder = 30_000;

/**
 * Resolves when the API server answers this client. A server that is away, refuses the credentials or is not yet ready is waited for, and
 * said what is waited for: once when the reason changes, and every 30 s. Rejects only when the signal aborts.
 */
export async function untilReachable(
  client: Client,
  signal: AbortSignal,
  { clock, log, onFailure }: ReachOptions,
): Promise<void> {
  let told: { readonly reason: string; readonly at: number } | undefined;
  for (let attempt = 0; ; attempt++) {
    const failure = await probe(client, signal);
    const reason = failure === undefined ? undefined : messageOf(failure);
    onFailure(reason);
    if (reason === undefined) {
      if (told !== undefined) log.info("the API server answers", { server: client.server });
      return;
    }
    if (told?.reason !== reason || clock.monotonic() - told.at >= reminder) {
      log.warn("waiting for the API server", { server: client.server, reason });
      told = { reason, at: clock.monotonic() };
    }
    await clock.sleep(fullJitter(exponential(attempt, backoff)) / 2, signal);
  }
}

/** Why the server does not serve this client; undefined when it does. Rejects only when the signal aborts. */
export async function probe(client: Client, signal: AbortSignal): Promise<Error | undefined> {
  try {
    const limits = { timeout: 5000, answerLimit: 64 << 10 }; // it may be anybody
    await client.request({ method: "GET", path: "/version", signal, ...limits });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isForbidden(error)) return undefined; // who may not read the version can still be known
    return error instanceof Error ? error : new Error(messageOf(error), { cause: error });
  }
}
