/** Who asks (rancher: pkg/auth/requests/authenticate.go). */

import type { User } from "@drover/crds";
import {
  type Caller,
  type Circumstances,
  groupsOfLogin,
  idleTtl,
  LastUsed,
  refusalTexts,
  type StoredToken,
  standing,
  type TokenRefusal,
  type TokenValue,
  userCalled,
} from "@drover/platform";
import { Latch } from "kopf-ts";
import { LRUCache } from "lru-cache";
import { type Login, type LoginStanding, nobody } from "../caller.ts";
import { BusyError } from "../gate.ts";
import type { ApiParts } from "../parts.ts";
import { type Exchange, refuse, type Stage } from "../stage.ts";
import { shownToken } from "./credentials.ts";
import { namedCaller, serverUser } from "./header-mode.ts";
import type { Known } from "./identity.ts";
import { Keys } from "./keys.ts";
import { Live } from "./live.ts";
import { MadeLogins, type Sources } from "./made.ts";
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
  #people: FollowedPeople | undefined;
  #readings: Readings | undefined;
  readonly #made = new MadeLogins();
  readonly #synced = new Latch();

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
    people.whenSynced(signal).then(
      () => this.#synced.open(),
      () => undefined, // it rejects when the signal aborts
    );
    await this.#lastUsed.start(signal);
  }

  /** Resolves when all tokens and users are known. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  /** A token that was deleted lets nobody in from now on, whatever caches still have. */
  revoke(token: Pick<StoredToken, "uid">): void {
    this.#revoked.set(token.uid, true);
  }

  /**
   * What became of a login that was good where it was, by what the caches say now: for connections that outlive their request. What was found before the caches had
   * it counts until these are as far.
   */
  standingOf(login: Login): LoginStanding {
    const people = this.#people;
    if (login.token === undefined || people === undefined) return "counts";
    const token = this.#tokenNow(login.token, people);
    if (token?.uid !== login.token.uid || this.#revoked.has(token.uid)) return "ended";
    const was = this.#made.sourcesOf(login);
    const user = this.#userNow(token, was, people);
    const { clusterName } = login.token;
    const circumstances = { ...this.#circumstances(people, clusterName), user: () => user };
    if (standing(token, circumstances) !== undefined) return "ended";
    const now = sourcesOf({ token, user }, people, was?.host);
    return this.#made.isStill(login, now) ? "counts" : "changed";
  }

  /** Whoever logs in as the User whom a text means, with the groups that are known here; undefined where it means none. */
  async personCalled(text: string): Promise<Pick<Caller, "username" | "groups"> | undefined> {
    const people = this.#people;
    await people?.whenIndexed();
    const name = people && userCalled(text, people.users)?.metadata.name;
    if (name === undefined) return undefined;
    return { username: name, groups: groupsOfLogin(people?.attributes.get(name)) };
  }

  #tokenNow(token: StoredToken, { tokens, secrets }: FollowedPeople): StoredToken | undefined {
    const cache = token.store === "v3" ? tokens : secrets;
    const found = this.#readings?.find(token);
    return found ?? (this.#live.isAhead(token.uid, cache) ? token : undefined);
  }

  #userNow(
    { userId }: StoredToken,
    was: Known | undefined,
    people: FollowedPeople,
  ): User | undefined {
    const { users } = people;
    const isAhead = this.#live.isAhead(was?.user?.metadata.uid, users);
    return users.get(userId) ?? (isAhead ? was?.user : undefined);
  }

  /** Says who asks. Answers 429 where costly hashes pile up, and 503 while users are not known yet. */
  readonly stage: Stage = (exchange, next) => {
    const shown = this.#shown(exchange);
    if (!isToken(shown)) {
      exchange.login = shown;
      return next();
    }
    return this.#judge(shown, exchange, next);
  };

  async #judge(shown: TokenValue, exchange: Exchange, next: () => Promise<void>): Promise<void> {
    const { response } = exchange;
    try {
      exchange.login = await this.#judged(shown, exchange);
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
  }

  /** A token, or who it is without one. */
  #shown({ request }: Exchange): TokenValue | Login {
    const named = this.#parts.headerAuth ? namedCaller(request.rawHeaders) : undefined;
    if (named !== undefined)
      return named === "malformed" ? nobody : { caller: named, token: undefined };
    const value = shownToken(request.headers);
    if (value === undefined && this.#parts.headerAuth)
      return { caller: serverUser, token: undefined };
    return value === undefined || value === "unusable" ? nobody : value;
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
    return this.#made.of(sourcesOf(verdict, people, exchange.request.headers.host));
  }

  async #verdict(
    token: StoredToken | undefined,
    value: TokenValue,
    { people, path }: { readonly people: FollowedPeople; readonly path: string },
  ): Promise<TokenRefusal | Passed> {
    if (token === undefined || this.#revoked.has(token.uid)) return "unknown";
    if (!(await this.#keys.fits(token, value))) return "key";
    const user = people.users.get(token.userId) ?? (await this.#live.user(token.userId));
    const circumstances = { ...this.#circumstances(people, clusterIn(path)), user: () => user };
    return standing(token, circumstances) ?? { token, user };
  }

  #circumstances(
    { users, configs }: FollowedPeople,
    clusterName: string | undefined,
  ): Circumstances {
    const { clock, settings } = this.#parts;
    return {
      now: clock.now(),
      idleTtl: idleTtl(settings),
      clusterName,
      user: (name) => users.get(name),
      provider: (name) => configs.get(name),
    };
  }

  /** Requests that come before the first lists wait for these. */
  async #ready(signal: AbortSignal): Promise<FollowedPeople> {
    if (!this.#synced.isOpen) await this.#waited(signal);
    if (this.#people === undefined) throw new NotYet();
    return this.#people;
  }

  async #waited(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const timer = this.#parts.clock.after(patience, () => over.abort(new NotYet()));
    try {
      await this.#synced.wait(AbortSignal.any([signal, over.signal]));
    } finally {
      timer.cancel();
    }
  }
}

function isToken(shown: TokenValue | Login): shown is TokenValue {
  return !("caller" in shown);
}

/** A token that counts, and whose it is. */
interface Passed {
  readonly token: StoredToken;
  readonly user: User | undefined;
}

/** Users and tokens are not known yet. */
class NotYet extends Error {}

/** What is known now of a token and its user. */
function sourcesOf(
  { token, user }: Passed,
  { tokens, attributes }: FollowedPeople,
  host: string | undefined,
): Sources {
  const tokenGroups = token.store === "v3" ? tokens.get(token.name)?.groupPrincipals : undefined;
  return { token, user, attribute: attributes.get(token.userId), tokenGroups, host };
}
