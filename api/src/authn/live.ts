/** What the caches do not have yet. */

import { Token, User } from "@drover/crds";
import {
  extTokenNamespace,
  readExtToken,
  readToken,
  type StoredToken,
  type TokenValue,
} from "@drover/platform";
import {
  type Cache,
  type Client,
  type Clock,
  compareResourceVersions,
  type Logger,
  messageOf,
} from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { LRUCache } from "lru-cache";

/** What Live needs. */
export interface LiveDeps {
  readonly client: Pick<Client, "find">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How much is asked. */
export interface LiveLimits {
  /** Requests to the API server per second, and at once; 20 unless told. */
  readonly perSecond?: number;
  /** Milliseconds for which it is remembered that there is no such object; 30,000 unless told. */
  readonly remember?: number;
  /** Milliseconds for which caches may lack what was found; 120,000 unless told: a watch that died unnoticed takes 75 s to begin anew. */
  readonly believe?: number;
}

/** An object that was found, and when (monotonic) that says nothing any more. */
interface Found {
  readonly resourceVersion: string;
  readonly until: number;
}

/** Names that are remembered not to exist, and objects that were found. */
const most = 10_000;
/** The answer is one object, for which somebody waits. */
const timeout = 5_000;

/**
 * Asks the API server for tokens and users that were made a moment ago, on this replica or another. What does not exist is remembered for a while, callers
 * that ask for the same share a request, and there is a limit to all: somebody who sends garbage costs the API server no more than that, and gets a
 * 401 all the same. Nothing that was found is kept but how new it was, and that not for long: the caches have it in a moment, unless the server was put back from a
 * backup. Undefined is also the answer where the API server cannot or must not be asked; nothing rejects.
 */
export class Live {
  readonly #deps: LiveDeps;
  readonly #perSecond: number;
  readonly #remember: number;
  readonly #believe: number;
  readonly #missing = new LRUCache<string, number>({ max: most });
  /** By uid. */
  readonly #found = new LRUCache<string, Found>({ max: most });
  readonly #asking = new Map<string, Promise<Token | Secret | User | undefined>>();
  #allowance: number;
  #countedAt: number;

  constructor(
    deps: LiveDeps,
    { perSecond = 20, remember = 30_000, believe = 120_000 }: LiveLimits = {},
  ) {
    this.#deps = deps;
    this.#perSecond = perSecond;
    this.#remember = remember;
    this.#believe = believe;
    this.#allowance = perSecond;
    this.#countedAt = deps.clock.monotonic();
  }

  async token({
    store,
    name,
  }: Pick<TokenValue, "store" | "name">): Promise<StoredToken | undefined> {
    const { client } = this.#deps;
    if (store === "v3") {
      const token = await this.#find(`token ${name}`, () => client.find(Token, name, { timeout }));
      return token && readToken(token);
    }
    const options = { namespace: extTokenNamespace, timeout };
    const secret = await this.#find(`ext token ${name}`, () => client.find(Secret, name, options));
    return secret && readExtToken(secret);
  }

  user(name: string): Promise<User | undefined> {
    return this.#find(`user ${name}`, () => this.#deps.client.find(User, name, { timeout }));
  }

  /** Whether an object was found that the cache cannot have yet; one that it could have and has not is gone. */
  isAhead(uid = "", { resourceVersion }: Pick<Cache, "resourceVersion">): boolean {
    const found = this.#found.get(uid);
    if (found === undefined || found.until <= this.#deps.clock.monotonic()) return false;
    return compareResourceVersions(found.resourceVersion, resourceVersion) > 0;
  }

  /** The id says which kind it is, so what is shared is of that kind. */
  #find<T extends Token | Secret | User>(
    id: string,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const running = this.#asking.get(id) as Promise<T | undefined> | undefined;
    if (running !== undefined) return running;
    const isMissing = (this.#missing.get(id) ?? 0) > this.#deps.clock.monotonic();
    if (isMissing || !this.#mayAsk()) return Promise.resolve(undefined);
    const asking = this.#ask(id, ask).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  async #ask<T extends Token | Secret | User>(
    id: string,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { clock, log } = this.#deps;
    try {
      const found = await ask();
      if (found === undefined) this.#missing.set(id, clock.monotonic() + this.#remember);
      else this.#noteFound(found);
      return found;
    } catch (error) {
      log.debug("could not look for who asks", { id, reason: messageOf(error) });
      return undefined;
    }
  }

  #noteFound({ metadata: { uid = "", resourceVersion = "" } }: Token | Secret | User): void {
    this.#found.set(uid, { resourceVersion, until: this.#deps.clock.monotonic() + this.#believe });
  }

  /** A bucket that fills as time goes by. */
  #mayAsk(): boolean {
    const now = this.#deps.clock.monotonic();
    const gained = ((now - this.#countedAt) * this.#perSecond) / 1000;
    this.#allowance = Math.min(this.#perSecond, this.#allowance + gained);
    this.#countedAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance -= 1;
    return true;
  }
}
