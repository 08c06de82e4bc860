/** What proves who we are, and how it stays fresh. */

import { type Clock, type Logger, messageOf } from "../../base/index.ts";

/** TLS material and proofs of identity; certificates and keys are PEM text. */
export interface Credentials {
  /** Certificate authorities to trust instead of the machine's own. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Wall time in milliseconds at which they end; they are renewed before. */
  readonly expiresAt?: number | undefined;
}

/** How credentials are read. */
export interface ReadOptions {
  /** The server refused what was read before. */
  readonly force: boolean;
  /** Aborts when nobody waits for them any more: the client is disposed. */
  readonly signal?: AbortSignal;
}

/**
 * Reads credentials: at the first request, then at most once a minute while requests are made (every 5 s once they end within half a minute),
 * and with `force` when the server refused them. A function, so that secrets lie in its closure, where no log or inspection finds them.
 */
export type CredentialSource = (options: ReadOptions) => Promise<Credentials>;

/** Milliseconds between two readings (client-go: transport/token_source.go, period of the token file). */
const REREAD = 60_000;
/** Milliseconds before their end from which credentials are renewed without anybody waiting. */
const EARLY = 30_000;
/** Milliseconds between two readings of credentials that (nearly) have expired, if only by our clock: a plug-in is not run for every request. */
const APART = 5_000;
/** Milliseconds between two forced readings, and for which the failure of a reading stands. */
const AGAIN = 1_000;

/** Holds a source's last credentials; readings never overlap. */
export class CredentialKeeper {
  readonly #source: CredentialSource;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #current: Credentials | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failure: { readonly cause: unknown; readonly at: number } | undefined;
  #forcedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Credentials> | undefined;
  #forcing: Promise<Credentials> | undefined;
  readonly #ending = new AbortController();

  constructor(source: CredentialSource, clock: Clock, logger: Logger) {
    this.#source = source;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Credentials to use now: without a promise while they are fresh. Due ones are used while a new reading runs. Those that expired by our
   * clock are read again, but those that were just read are used: the server's clock counts, and ours may be ahead of it.
   */
  get(): Credentials | Promise<Credentials> {
    const current = this.#current;
    if (current === undefined) return this.#readUnlessFailed();
    const left = (current.expiresAt ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    const age = this.#clock.monotonic() - this.#readAt;
    if (age < (left < EARLY ? APART : REREAD)) return current;
    if (left <= 0) return this.#readUnlessFailed();
    void this.#read(false).catch(() => undefined);
    return current;
  }

  /** After a 401: credentials other than the refused ones, undefined when there are none. */
  async renew(refused: Credentials): Promise<Credentials | undefined> {
    if (this.#current !== undefined && !same(this.#current, refused)) return this.#current;
    if (this.#forcing === undefined && this.#clock.monotonic() - this.#forcedAt < AGAIN) {
      return undefined;
    }
    this.#forcing ??= this.#force().finally(() => {
      this.#forcing = undefined;
    });
    const renewed = await this.#forcing;
    return same(renewed, refused) ? undefined : renewed;
  }

  /** Ends a reading under way. */
  close(reason: Error): void {
    this.#ending.abort(reason);
  }

  /** A source that fails is not asked for every request either. */
  #readUnlessFailed(): Promise<Credentials> {
    const { cause, at } = this.#failure ?? {};
    if (at === undefined || this.#clock.monotonic() - at >= AGAIN) return this.#read(false);
    return Promise.reject(cause);
  }

  async #force(): Promise<Credentials> {
    this.#forcedAt = this.#clock.monotonic();
    while (this.#reading !== undefined) await this.#reading.catch(() => undefined); // begun before they were refused
    return this.#read(true);
  }

  #read(force: boolean): Promise<Credentials> {
    this.#reading ??= this.#ask(force).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #ask(force: boolean): Promise<Credentials> {
    try {
      this.#current = await this.#source({ force, signal: this.#ending.signal });
      this.#readAt = this.#clock.monotonic();
      this.#failure = undefined;
      return this.#current;
    } catch (cause) {
      if (this.#ending.signal.aborted) throw cause;
      this.#failure = { cause, at: this.#clock.monotonic() };
      const old = this.#current;
      if (force || old === undefined || (old.expiresAt ?? Infinity) <= this.#clock.now())
        throw cause;
      this.#readAt = this.#clock.monotonic();
      this.#logger.warn("credentials could not be read again", { error: messageOf(cause) });
      return old;
    }
  }
}

/** Whether two credentials prove the same. */
export function same(a: Credentials, b: Credentials): boolean {
  return (
    a.token === b.token && a.username === b.username && a.password === b.password && sameTls(a, b)
  );
}

/** Whether two credentials need the same TLS connections. */
export function sameTls(a: Credentials, b: Credentials): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

/** The Authorization header they make, undefined for none. */
export function authorization({ token, username, password }: Credentials): string | undefined {
  if (token !== undefined && token !== "") return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
}
