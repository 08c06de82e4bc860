/** Writes down when tokens were last used, at a bounded rate. */

import { Token } from "@drover/crds";
import {
  apiVersionOf,
  type Client,
  type Clock,
  isConflict,
  isInvalid,
  isNotFound,
  type Logger,
  messageOf,
} from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { toTimestamp } from "./expiry.ts";
import { extData, extKeys, extTokenNamespace } from "./ext-secret.ts";
import type { StoredToken } from "./stored.ts";

/** Limits of LastUsed. */
export interface LastUsedOptions {
  /** Milliseconds between two writes about one token; a minute unless told. */
  readonly interval?: number;
  /** Writes per second about all tokens together; 50 unless told. */
  readonly perSecond?: number;
  /** Milliseconds that the last writes may take when it stops; 5,000 unless told. */
  readonly flushWithin?: number;
}

/** What LastUsed needs. The client must not end with the signal of `start`. */
export interface LastUsedDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The token as it is stored now, from caches: findToken. */
  readonly find: (token: Pick<StoredToken, "store" | "name">) => StoredToken | undefined;
}

/** What is known of one token. Times are whole seconds, as milliseconds since the epoch. */
interface Entry {
  readonly token: Pick<StoredToken, "store" | "name" | "uid">;
  lastUsedAt: number;
  lastActivitySeen: number;
  /** Something is not written yet. */
  dirty: boolean;
}

/** Writes that wait for their answers at once. */
const atOnce = 8;

/**
 * Keeps `lastUsedAt` and `activityLastSeenAt` of tokens. The first use of a token is written at once, later ones together, once per interval; what is
 * written has the granularity of a second, and a use in a second that is stored already writes nothing. Memory is bounded by the tokens used
 * within an interval (or not yet written), and there is one timer for all.
 *
 * Guarantees: the last use is written within an interval and its turn, or when it stops; times never go back as long as clocks of replicas agree to a
 * second and their caches are up to date; a write carries the uid, so a token made anew under the same name gets nothing. A process that is killed loses
 * at most what was used since the last interval began. A failed write is tried again an interval later, unless the token is gone.
 */
export class LastUsed {
  readonly #deps: LastUsedDeps;
  readonly #options: Required<LastUsedOptions>;
  readonly #entries = new Map<string, Entry>();
  /** Keys to write as soon as their turn comes. */
  readonly #ready = new Set<string>();
  /** Keys written lately, and when they may be again (monotonic); in that order, as the interval is the same for all. */
  readonly #resting = new Map<string, number>();
  readonly #inFlight = new Set<Promise<void>>();
  #wake: () => void = () => undefined;

  constructor(deps: LastUsedDeps, options: LastUsedOptions = {}) {
    this.#deps = deps;
    this.#options = { interval: 60_000, perSecond: 50, flushWithin: 5_000, ...options };
  }

  /** Tokens that are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** The token has just let somebody in. Returns at once. */
  used(token: StoredToken): void {
    this.#note(token, { lastUsedAt: toSecond(this.#deps.clock.now()) });
  }

  /** A person was active in the session at this time (milliseconds since the epoch); see activityOutcome for whether it counts. */
  seen(token: StoredToken, at: number): void {
    this.#note(token, { lastActivitySeen: toSecond(at) });
  }

  /** Writes until the signal aborts; resolves when what was left is written too, or flushWithin is over. Never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    const distance = 1000 / this.#options.perSecond;
    while (!signal.aborted) {
      this.#rouse();
      const key = first(this.#ready);
      if (key === undefined) await this.#idle(signal);
      else {
        this.#send(key);
        await this.#pause(distance, signal);
        if (this.#inFlight.size >= atOnce) await Promise.race(this.#inFlight);
      }
    }
    await this.#flush();
  }

  #note(token: StoredToken, times: Partial<Pick<Entry, "lastUsedAt" | "lastActivitySeen">>): void {
    const key = `${token.store}/${token.uid}`;
    const entry = this.#entries.get(key) ?? entryOf(token);
    const { lastUsedAt = 0, lastActivitySeen = 0 } = times;
    const isNews =
      lastUsedAt > Math.max(entry.lastUsedAt, token.lastUsedAt ?? 0) ||
      lastActivitySeen > Math.max(entry.lastActivitySeen, token.lastActivitySeen ?? 0);
    if (!isNews) return;
    entry.lastUsedAt = Math.max(entry.lastUsedAt, lastUsedAt);
    entry.lastActivitySeen = Math.max(entry.lastActivitySeen, lastActivitySeen);
    entry.dirty = true;
    this.#entries.set(key, entry);
    if (this.#resting.has(key)) return;
    this.#ready.add(key);
    this.#wake();
  }

  /** Those that have rested long enough are written again, or forgotten. */
  #rouse(): void {
    const now = this.#deps.clock.monotonic();
    for (const [key, until] of this.#resting) {
      if (until > now) return;
      this.#resting.delete(key);
      if (this.#entries.get(key)?.dirty) this.#ready.add(key);
      else this.#entries.delete(key);
    }
  }

  /** Until there is something to do. */
  async #idle(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const next = this.#resting.values().next().value;
    const { clock } = this.#deps;
    const timer = next === undefined ? undefined : clock.after(next - clock.monotonic(), resolve);
    this.#wake = resolve;
    const onAbort = (): void => resolve();
    signal.addEventListener("abort", onAbort);
    await promise;
    signal.removeEventListener("abort", onAbort);
    timer?.cancel();
  }

  async #pause(delay: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(delay, signal).catch(() => undefined);
  }

  #send(key: string): void {
    this.#ready.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.dirty = false;
    this.#resting.delete(key); // to the end of the order
    this.#resting.set(key, this.#deps.clock.monotonic() + this.#options.interval);
    const writing = this.#write(key, entry).finally(() => this.#inFlight.delete(writing));
    this.#inFlight.add(writing);
  }

  async #write(key: string, entry: Entry): Promise<void> {
    try {
      await this.#patch(entry);
    } catch (error) {
      if (isLost(error)) entry.dirty = false;
      else {
        entry.dirty = this.#entries.has(key);
        const { store, name } = entry.token;
        this.#deps.log.warn("could not write when a token was last used", {
          ...{ store, name, reason: messageOf(error) },
        });
      }
    }
  }

  /** What another replica wrote meanwhile counts too, so that times do not go back. */
  async #patch({ token, lastUsedAt, lastActivitySeen }: Entry): Promise<void> {
    const stored = this.#deps.find(token);
    if (stored?.uid !== token.uid) return; // gone
    const used = newer(lastUsedAt, stored.lastUsedAt);
    const seen = newer(lastActivitySeen, stored.lastActivitySeen);
    if (used === undefined && seen === undefined) return;
    const options = { timeout: 10_000, fieldManager: "drover-last-used" };
    const { ref, merge } = token.store === "v3" ? v3Patch(used, seen) : extPatch(used, seen);
    const { name, uid } = token;
    await this.#deps.client.patch(
      { ...ref, metadata: { ...ref.metadata, name } },
      { merge: { ...merge, metadata: { uid } } },
      options,
    );
  }

  /** At the end the rate does not count, only the number at once and the time. */
  async #flush(): Promise<void> {
    const { clock } = this.#deps;
    const end = clock.monotonic() + this.#options.flushWithin;
    for (const [key, entry] of this.#entries) if (entry.dirty) this.#ready.add(key);
    const over = new AbortController();
    const late = clock.sleep(this.#options.flushWithin, over.signal).catch(() => undefined);
    for (const key of [...this.#ready]) {
      if (clock.monotonic() >= end) break;
      this.#send(key);
      if (this.#inFlight.size >= atOnce) await Promise.race([...this.#inFlight, late]);
    }
    await Promise.race([Promise.all(this.#inFlight), late]);
    over.abort();
  }
}

function entryOf({ store, name, uid }: StoredToken): Entry {
  return { token: { store, name, uid }, lastUsedAt: 0, lastActivitySeen: 0, dirty: false };
}

function toSecond(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  return set.values().next().value;
}

/** The token is gone, or another has its name: a uid that differs is a conflict or, where only the field is compared, invalid. */
function isLost(error: unknown): boolean {
  return isNotFound(error) || isConflict(error) || isInvalid(error);
}

/** As it is to be written; undefined when what is stored is as new. */
function newer(time: number, stored = 0): string | undefined {
  return time > stored ? toTimestamp(time) : undefined;
}

function v3Patch(used: string | undefined, seen: string | undefined) {
  const ref = { apiVersion: apiVersionOf(Token), kind: Token.kind, metadata: {} };
  return { ref, merge: { lastUsedAt: used, activityLastSeenAt: seen } };
}

function extPatch(used: string | undefined, seen: string | undefined) {
  const metadata = { namespace: extTokenNamespace };
  const ref = { apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata };
  const data = extData({
    ...(used && { [extKeys.lastUsedAt]: used }),
    ...(seen && { [extKeys.lastActivitySeen]: seen }),
  });
  return { ref, merge: { data } };
}
