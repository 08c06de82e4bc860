/** Tokens of logins: made when somebody comes, deleted when they leave. */

import { Token } from "@drover/crds";
import {
  type CacheIndex,
  createToken,
  extTokenNamespace,
  extTokenSelector,
  type FeatureName,
  kubeconfigTokenName,
  type LiveSettings,
  type NewToken,
  readExtToken,
  readToken,
  type StoredToken,
  sessionKind,
} from "@drover/platform";
import { apiVersionOf, type Client, type Informer, type Informers, type ObjectRef } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import type { LoginInput } from "./input.ts";
import type { Person, Provider } from "./provider.ts";

/** What Sessions needs. */
export interface SessionDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly settings: Pick<LiveSettings, "milliseconds">;
  readonly isOn: (feature: FeatureName) => boolean;
  /** Told of every token that is deleted here: Authn.revoke. */
  readonly onDeleted: (token: StoredToken) => void;
}

/** Whose sessions Tokens are. */
const ofToken: CacheIndex<Token> = {
  name: "login/sessions",
  of: (token) => userIn(readToken(token)),
};

/** Whose sessions Secrets of ext tokens are. */
const ofSecret: CacheIndex<Secret> = {
  name: "login/sessions",
  of: (secret) => userIn(readExtToken(secret)),
};

/** Makes and ends sessions. Holds shares of informers until it is disposed. */
export class Sessions implements Disposable {
  readonly #deps: SessionDeps;
  readonly #tokens: Informer<Token>;
  readonly #secrets: Informer<Secret>;
  readonly #indexed: Promise<unknown>;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#tokens = deps.informers.acquire(Token);
    this.#secrets = deps.informers.acquire(Secret, extTokenSelector);
    this.#indexed = Promise.all([
      this.#tokens.addIndex(ofToken.name, ofToken.of),
      this.#secrets.addIndex(ofSecret.name, ofSecret.of),
    ]);
    this.#indexed.catch(() => undefined); // whoever needs it hears of it
  }

  /** A session, or a token for kubeconfigs; how long it lives is for the settings to say. Rejects with an ApiError. */
  async begin(
    person: Person,
    { name: provider }: Pick<Provider, "name">,
    { responseType, description }: Pick<LoginInput, "responseType" | "description">,
  ): Promise<NewToken> {
    const userId = person.user.metadata.name;
    const request = { userId, provider, principal: person.principal };
    if (responseType.kind !== "kubeconfig") {
      return createToken({ ...request, kind: sessionKind, description }, this.#deps);
    }
    const { cluster: clusterName } = responseType;
    const prefix = kubeconfigTokenName(userId, clusterName);
    const kubeconfig = { kind: "kubeconfig", description: "Kubeconfig token", prefix, clusterName };
    return createToken({ ...request, ...kubeconfig }, this.#deps);
  }

  /** Deletes the token, and with `all` every session of its user. Rejects with the first failure, after all were tried. */
  async end(token: StoredToken, { all }: { readonly all: boolean }): Promise<void> {
    const sessions = all ? await this.#sessionsOf(token.userId) : [];
    const others = sessions.filter(({ uid }) => uid !== token.uid);
    const outcomes = await Promise.allSettled([token, ...others].map((each) => this.#delete(each)));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  [Symbol.dispose](): void {
    this.#tokens.release();
    this.#secrets.release();
  }

  async #sessionsOf(userId: string): Promise<readonly StoredToken[]> {
    await this.#indexed;
    const tokens = this.#tokens.cache.byIndex(ofToken.name, userId).map(readToken);
    const secrets = this.#secrets.cache.byIndex(ofSecret.name, userId).map(readExtToken);
    return [...tokens, ...secrets].filter((token) => token !== undefined);
  }

  /** The uid goes along: a token made anew under the same name stays. */
  async #delete(token: StoredToken): Promise<void> {
    await this.#deps.client.delete(refTo(token), { preconditions: "uid" });
    this.#deps.onDeleted(token);
  }
}

function userIn(token: StoredToken | undefined): readonly string[] {
  return token === undefined || token.derived || token.userId === "" ? [] : [token.userId];
}

function refTo({ store, name, uid }: StoredToken): ObjectRef {
  if (store === "v3") {
    return { apiVersion: apiVersionOf(Token), kind: Token.kind, metadata: { name, uid } };
  }
  const metadata = { name, uid, namespace: extTokenNamespace };
  return { apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata };
}
