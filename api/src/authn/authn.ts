/** Who asks (rancher: pkg/auth/requests/authenticate.go). */

import type { Token, User } from "@drover/crds";
import {
  type Circumstances,
  idleTtl,
  LastUsed,
  refusalTexts,
  type StoredToken,
  standing,
  type TokenRefusal,
  type TokenValue,
} from "@drover/platform";
import { LRUCache } from "lru-cache";
import { type Login, nobody } from "../caller.ts";
import { BusyError } from "../gate.ts";
import type { ApiParts } from "../parts.ts";
import { type Exchange, refuse, type Stage } from "../stage.ts";
import { shownToken } from "./credentials.ts";
import { namedCaller, serverUser } from "./header-mode.ts";
import { callerOf, type Known } from "./identity.ts";
import { Keys } from "./keys.ts";
import { Live } from "./live.ts";
import { type FollowedPeople, followPeople, Readings } from "./people.ts";
import { clusterIn } from "./scope.ts";

/** What authentication needs. */
export type AuthnParts = Pick<
  ApiParts,
  "client" | "informers" | "settings" | "clock" | "log" | "headerAuth"
>;

/** Milliseconds that a request waits for the first lists at most. */
const patience = 10_000;
/** Tokens that were deleted here and that caches may still have. */
const revocations = 10_000;

/**
 * Turns what requests show into whom they are from. Works from caches: a request costs microseconds, and none to the API server but for tokens that
 * are younger than the caches. Whoever shows nothing that counts is `nobody`; which routes serve them is for these to say, and why a token does not
 * count is told to the log alone.
 */
export class Authn {
  readonly #parts: AuthnParts;
  readonly #keys: Keys;
  readonly #live: Live;
  readonly #lastUsed: LastUsed;
  readonly #revoked = new LRUCache<string, true>({ max: revocations });
  readonly #started = Promise.withResolvers<FollowedPeople>();
  #people: FollowedPeople | undefined;
  #readings: Readings | undefined;
  readonly #logins = new WeakMap<StoredToken, Known & { readonly login: Login }>();
  #synced = false;

  constructor(parts: AuthnParts) {
    const { client, clock, log } = parts;
    this.#parts = parts;
    this.#keys = new Keys(clock);
    this.#live = new Live({ client, clock, log });
    const find = (token: Pick<StoredToken, "store" | "name">): StoredToken | undefined =>
      this.#readings?.find(token);
    this.#lastUsed = new LastUsed({ client, clock, log, find });
  }

  /** Follows tokens and users until the signal aborts; resolves when it is also written when tokens were used last. */
  async start(signal: AbortSignal): Promise<void> {
    using people = followPeople(this.#parts.informers);
    this.#people = people;
    this.#readings = new Readings(people);
    this.#started.resolve(people);
    await this.#lastUsed.start(signal);
  }

  /** Resolves when all tokens and users are known. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    const people = await this.#started.promise;
    await people.whenSynced(signal);
    this.#synced = true;
  }

  /** A token that was deleted lets nobody in from now on, whatever caches still have. */
  revoke(token: Pick<StoredToken, "uid">): void {
    this.#revoked.set(token.uid, true);
  }

  /** Whether a login that was good still is, by what the caches say now: for connections that outlive their request. */
  stillCounts({ token }: Login): boolean {
    const people = this.#people;
    if (token === undefined || people === undefined) return true;
    const now = this.#readings?.find(token);
    if (now === undefined || now.uid !== token.uid || this.#revoked.has(token.uid)) return false;
    return standing(now, this.#circumstances(people, "/v1")) === undefined;
  }

  /** Says who asks. Answers 429 where costly hashes pile up, and 503 while users are not known yet. */
  readonly stage: Stage = async (exchange, next) => {
    const { response } = exchange;
    try {
      exchange.login = await this.#identify(exchange);
    } catch (error) {
      if (error instanceof BusyError) {
        response.setHeader("Retry-After", "1");
        return refuse(response, 429, "TooManyRequests", "too many tokens are being verified");
      }
      if (!(error instanceof NotYet)) throw error;
      response.setHeader("Retry-After", "1");
      return refuse(response, 503, "ClusterUnavailable", "users are not known yet");
    }
    await next();
  };

  async #identify(exchange: Exchange): Promise<Login> {
    const { request } = exchange;
    const named = this.#parts.headerAuth ? namedCaller(request.headersDistinct) : undefined;
    if (named !== undefined)
      return named === "malformed" ? nobody : { caller: named, token: undefined };
    const value = shownToken(request.headers);
    if (value === undefined && this.#parts.headerAuth)
      return { caller: serverUser, token: undefined };
    return value === undefined || value === "unusable" ? nobody : this.#judged(value, exchange);
  }

  async #judged(value: TokenValue, exchange: Exchange): Promise<Login> {
    const people = await this.#ready(exchange.signal);
    const token = this.#readings?.find(value) ?? (await this.#live.token(value));
    const verdict = await this.#verdict(token, value, { people, path: exchange.path });
    if (typeof verdict === "string") {
      const { store, name } = value;
      exchange.log.debug("a token does not count", { store, name, reason: refusalTexts[verdict] });
      return nobody;
    }
    this.#lastUsed.used(verdict.token);
    return this.#loginOf(verdict, people, exchange.request.headers.host);
  }

  /** The same object as long as nothing changes that goes into it. */
  #loginOf({ token, user }: Passed, people: FollowedPeople, host: string | undefined): Login {
    const attribute = people.attributes.get(token.userId);
    const known = this.#logins.get(token);
    const same = known?.user === user && known?.attribute === attribute && known?.host === host;
    if (known !== undefined && same) return known.login;
    const tokenGroups = groupsIn(token, people.tokens.get(token.name));
    const told = { user, attribute, tokenGroups, host };
    const login = { caller: callerOf(token, told), token };
    this.#logins.set(token, { ...told, login });
    return login;
  }

  async #verdict(
    token: StoredToken | undefined,
    value: TokenValue,
    { people, path }: { readonly people: FollowedPeople; readonly path: string },
  ): Promise<TokenRefusal | Passed> {
    if (token === undefined || this.#revoked.has(token.uid)) return "unknown";
    if (!(await this.#keys.fits(token, value))) return "key";
    const user = people.users.get(token.userId) ?? (await this.#live.user(token.userId));
    const circumstances = { ...this.#circumstances(people, path), user: () => user };
    return standing(token, circumstances) ?? { token, user };
  }

  #circumstances({ users, configs }: FollowedPeople, path: string): Circumstances {
    const { clock, settings } = this.#parts;
    return {
      now: clock.now(),
      idleTtl: idleTtl(settings),
      clusterName: clusterIn(path),
      user: (name) => users.get(name),
      provider: (name) => configs.get(name),
    };
  }

  /** Requests that come before the first lists wait for these. */
  async #ready(signal: AbortSignal): Promise<FollowedPeople> {
    if (!this.#synced) await this.#waited(signal);
    if (this.#people === undefined) throw new NotYet();
    return this.#people;
  }

  async #waited(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const timer = this.#parts.clock.after(patience, () => over.abort(new NotYet()));
    try {
      const synced = this.whenSynced(AbortSignal.any([signal, over.signal]));
      await Promise.race([synced, aborted(over.signal)]);
    } finally {
      timer.cancel();
    }
  }
}

/** A token that counts, and whose it is. */
interface Passed {
  readonly token: StoredToken;
  readonly user: User | undefined;
}

/** Users and tokens are not known yet. */
class NotYet extends Error {}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function groupsIn({ store }: StoredToken, token: Token | undefined): Token["groupPrincipals"] {
  return store === "v3" ? token?.groupPrincipals : undefined;
}
