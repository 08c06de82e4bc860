import type { X509Certificate } from "node:crypto";
import type { Clock, Logger } from "../base/index.ts";
import type { Client } from "../kube/index.ts";
import type { Certificates } from "./certificates.ts";

/** What the leader works with. */
export interface RenewalContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Who knows whether those who connect trust an authority already. */
export interface Trust {
  /** Resolves when it knows. */
  synced(signal: AbortSignal): Promise<void>;
  /** Calls the listener when that may have changed, and when the names may have that a certificate is for. */
  subscribe(listener: () => void): readonly Disposable[];
  /** Since when the authority is trusted, milliseconds of the time of day; undefined while it is not. */
  since(authority: X509Certificate | undefined): number | undefined;
}

/** Milliseconds between two steps, so that replicas that disagree do not race. */
const pause = 100;

/** Keeps the certificates good until the signal aborts, then rejects with its reason. Costs nothing but a timer while nothing is due. */
export async function renewal(
  certificates: Certificates,
  trust: Trust,
  { client, clock, log, signal }: RenewalContext,
): Promise<void> {
  await Promise.all([certificates.synced(signal), trust.synced(signal)]);
  const changes = new Changes(clock);
  using _ = changes.of((listener) => [
    ...certificates.subscribe(listener),
    ...trust.subscribe(listener),
  ]);
  while (!signal.aborted) {
    changes.forget();
    const until = await certificates.step({ client, log }, trust.since(certificates.signer));
    await (until === undefined ? clock.sleep(pause, signal) : changes.next(until, signal));
  }
}

/** Waits for the next change or a time, whatever comes first. */
class Changes {
  readonly #clock: Clock;
  #changed = false;
  #wake: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(subscribe: (listener: () => void) => readonly Disposable[]): Disposable {
    const subscriptions = subscribe(() => {
      this.#changed = true;
      this.#wake();
    });
    return {
      [Symbol.dispose]: () => {
        for (const subscription of subscriptions) subscription[Symbol.dispose]();
      },
    };
  }

  /** What has changed so far has been seen. */
  forget(): void {
    this.#changed = false;
  }

  /** Resolves at once when something changed since `forget`. */
  async next(until: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#changed) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = this.#clock.at(until, wake);
      signal.addEventListener("abort", wake, { once: true });
      this.#wake = wake;
    });
  }
}
