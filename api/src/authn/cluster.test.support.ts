/** People, their tokens and stages that know them, on the API server of the test run. */

import { randomBytes } from "node:crypto";
import { installCrds, kinds, labels, type Setting, type Token, type User } from "@drover/crds";
import { aToken, aUser } from "@drover/crds/testing";
import { testEnv, uniqueName } from "@drover/env";
import { hashPassword, liveSettings, passwordNamespace, passwordSecret } from "@drover/platform";
import {
  type Client,
  connect,
  Informers,
  intercept,
  isAlreadyExists,
  loadConfig,
  type RawStream,
  refTo,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import type { AuthnParts } from "./authn.ts";

/** A client that knows our kinds, and informers, until they are disposed. */
export class Place implements AsyncDisposable {
  readonly client: Client;
  readonly informers: Informers;

  private constructor(client: Client) {
    this.client = client;
    this.informers = new Informers(client, { logger: silentLogger, managedFields: "cold" });
  }

  static async open(): Promise<Place> {
    const { kubeconfigPath } = await testEnv();
    const client = connect(await loadConfig({ kubeconfig: kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
    for (const name of ["cattle-tokens", passwordNamespace]) {
      await client.create(refTo(Namespace, name)).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    return new Place(client);
  }

  /** What authentication needs, with settings as they are when nobody sets any. */
  parts(more: Partial<AuthnParts> = {}): AuthnParts {
    const settings = liveSettings({ get: (): Setting | undefined => undefined }, {});
    const { client, informers } = this;
    const base = { client, informers, settings, clock: systemClock, log: silentLogger };
    return { ...base, headerAuth: false, ...more };
  }

  /** Somebody who can log in. */
  async user(overrides: Parameters<typeof aUser>[0] = {}): Promise<User> {
    const name = uniqueName("u");
    return this.client.create(
      aUser({ username: name, ...overrides, metadata: { name, ...overrides.metadata } }),
    );
  }

  /** As user, with a password. */
  async userWithPassword(
    password: string,
    overrides: Parameters<typeof aUser>[0] = {},
  ): Promise<User> {
    const user = await this.user(overrides);
    await this.client.create(passwordSecret(user, await hashPassword(password)));
    return user;
  }

  /** A token of a user, and its value. */
  async token(
    { metadata }: Pick<User, "metadata">,
    overrides: Parameters<typeof aToken>[0] = {},
  ): Promise<{ readonly token: Token; readonly value: string }> {
    const key = randomBytes(27).toString("hex");
    const name = uniqueName("token");
    const marks = { [labels.tokenUserId]: metadata.name, [labels.tokenKind]: "session" };
    const token = await this.client.create(
      aToken({
        ...{ userId: metadata.name, token: key, ...overrides },
        metadata: { labels: marks, ...overrides.metadata, name },
      }),
    );
    return { token, value: `${name}:${key}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informers.dispose();
    await this.client[Symbol.asyncDispose]();
  }
}

/** Has watches tell nothing for a while. */
export class SlowWatches {
  readonly client: Client;
  #held: (() => void)[] | undefined;

  constructor(client: Client) {
    const stream: Client["stream"] = async (request) => this.#slowed(await client.stream(request));
    this.client = { ...intercept(client, {}), stream };
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const tell of held) tell();
  }

  #slowed(stream: RawStream): RawStream {
    const { status, headers, body } = stream;
    return {
      ...{ status, headers, body },
      pipe: (tell) =>
        stream.pipe((chunk) => {
          if (this.#held === undefined) tell(chunk);
          else this.#held.push(() => tell(chunk));
        }),
      pause: () => stream.pause(),
      resume: () => stream.resume(),
      close: () => stream.close(),
    };
  }
}
