/** Logins by user name and password (rancher: pkg/auth/providers/local). */

import type { Principal, User } from "@drover/crds";
import {
  hashPassword,
  localPrincipal,
  type PasswordHash,
  parseLegacyPassword,
  parsePasswordSecret,
  passwordNamespace,
  passwordPatch,
  usersByUsername,
  verifyPassword,
} from "@drover/platform";
import { type Cache, type Client, type Logger, messageOf } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { Gate } from "../gate.ts";
import type { LoginInput } from "./input.ts";
import type { Person, Provider } from "./provider.ts";

/** What LocalProvider needs. */
export interface LocalDeps {
  readonly client: Pick<Client, "find" | "patch">;
  /** With the index `usersByUsername`. */
  readonly users: Pick<Cache<User>, "byIndex">;
  readonly log: Logger;
}

/** Passwords that are compared at once, each for some 150 ms of one core, and logins that wait for that. */
const comparisons = { atOnce: 2, waiting: 32 } as const;

/** The provider `local`: passwords are hashes in Secrets, read when somebody logs in and at no other time. */
export class LocalProvider implements Provider {
  readonly name = "local";
  readonly type = "localProvider";
  readonly #deps: LocalDeps;
  readonly #gate = new Gate(comparisons);

  constructor(deps: LocalDeps) {
    this.#deps = deps;
  }

  async authenticate(
    { username, password }: LoginInput,
    signal: AbortSignal,
  ): Promise<Person | undefined> {
    const user = this.#userNamed(username);
    const stored = await this.#passwordOf(user, signal);
    const { matches, rewrite } = await this.#gate.run(
      () => verifyPassword(password, stored),
      signal,
    );
    if (user === undefined || stored === undefined || !matches) return undefined;
    if (rewrite) await this.#rewrite(user, stored, password);
    return personOf(user);
  }

  /** Where two have one name, nobody can tell whose password it is. */
  #userNamed(username: string): User | undefined {
    const [user, other] = this.#deps.users.byIndex(usersByUsername.name, username);
    if (other === undefined) return user;
    this.#deps.log.warn("two users have one user name, and neither can log in", {
      users: [user?.metadata.name, other.metadata.name],
    });
    return undefined;
  }

  /** Asks for one Secret whether there is such a user or not, so that neither answer comes sooner. */
  async #passwordOf(
    user: User | undefined,
    signal: AbortSignal,
  ): Promise<PasswordHash | undefined> {
    const name = user?.metadata.name ?? "nobody";
    const options = { namespace: passwordNamespace, signal };
    const secret = await this.#deps.client.find(Secret, name, options);
    if (user === undefined) return undefined;
    return secret ? parsePasswordSecret(secret) : parseLegacyPassword(user.password ?? "");
  }

  /** A password of old is stored as new ones are; what is still in the User, its controller moves. A login does not fail for it. */
  async #rewrite(user: User, from: PasswordHash, password: string): Promise<void> {
    const { name } = user.metadata;
    const metadata = { name, namespace: passwordNamespace };
    try {
      const json = passwordPatch(from, await this.#gate.run(() => hashPassword(password)));
      await this.#deps.client.patch({ apiVersion: "v1", kind: "Secret", metadata }, { json });
    } catch (error) {
      this.#deps.log.debug("could not store a password anew", {
        user: name,
        reason: messageOf(error),
      });
    }
  }
}

function personOf(user: User): Person {
  const { metadata, displayName = "", username = "" } = user;
  const id = localPrincipal(metadata.name);
  const principal: Principal = {
    metadata: { name: id },
    displayName,
    loginName: username,
    principalType: "user",
    provider: "local",
    me: true,
  };
  return { user, principal, groups: [], extra: { principalid: [id], username: [username] } };
}
