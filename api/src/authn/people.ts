/** What authentication reads, from caches that follow the API server. */

import { AuthConfig, Token, User, UserAttribute } from "@drover/crds";
import {
  extTokenNamespace,
  extTokenSelector,
  readExtToken,
  readToken,
  type StoredToken,
  type TokenValue,
  usersByPrincipal,
  usersByUsername,
} from "@drover/platform";
import type { Cache, Informers } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";

/** Caches of tokens of both stores, of their users, and of what logins told of these. */
export interface People {
  readonly tokens: Cache<Token>;
  readonly secrets: Cache<Secret>;
  /** With the indexes of `userCalled`. */
  readonly users: Cache<User>;
  readonly attributes: Cache<UserAttribute>;
  readonly configs: Cache<AuthConfig>;
}

/** People, and when they are all known. */
export interface FollowedPeople extends People, Disposable {
  /** Resolves when users are found by `userCalled`. */
  whenIndexed(): Promise<void>;
  /** Rejects with the signal's reason, or when they are given up. */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Finds tokens, and reads each of them once: caches give the same object until it changes. */
export class Readings {
  readonly #people: Pick<People, "tokens" | "secrets">;
  readonly #read = new WeakMap<Token | Secret, { readonly token: StoredToken | undefined }>();

  constructor(people: Pick<People, "tokens" | "secrets">) {
    this.#people = people;
  }

  /** As findToken, with the same object until the token changes. */
  find({ store, name }: Pick<TokenValue, "store" | "name">): StoredToken | undefined {
    const { tokens, secrets } = this.#people;
    return store === "v3"
      ? this.#once(tokens.get(name), readToken)
      : this.#once(secrets.get(`${extTokenNamespace}/${name}`), readExtToken);
  }

  #once<T extends Token | Secret>(
    object: T | undefined,
    read: (object: T) => StoredToken | undefined,
  ): StoredToken | undefined {
    if (object === undefined) return undefined;
    const known = this.#read.get(object) ?? { token: read(object) };
    this.#read.set(object, known);
    return known.token;
  }
}

/** Takes shares of the informers; dispose it to give them back. */
export function followPeople(informers: Informers): FollowedPeople {
  const tokens = informers.acquire(Token);
  const secrets = informers.acquire(Secret, extTokenSelector);
  const users = informers.acquire(User);
  const attributes = informers.acquire(UserAttribute);
  const configs = informers.acquire(AuthConfig);
  const all = [tokens, secrets, users, attributes, configs];
  const indexed = Promise.all(
    [usersByPrincipal, usersByUsername].map(({ name, of }) => users.addIndex(name, of)),
  );
  indexed.catch(() => undefined); // who waits for it hears of it
  return {
    tokens: tokens.cache,
    secrets: secrets.cache,
    users: users.cache,
    attributes: attributes.cache,
    configs: configs.cache,
    whenSynced: async (signal) => {
      await Promise.all(all.map((each) => each.whenSynced(signal)));
    },
    whenIndexed: async () => {
      await indexed;
    },
    [Symbol.dispose]: () => {
      for (const each of all) each.release();
    },
  };
}
