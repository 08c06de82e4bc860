/** The routes that let people in and out (rancher: pkg/auth/providers/publicapi, pkg/auth/logout). */

import { AuthConfig, Feature, User } from "@drover/crds";
import {
  type FeatureDefaults,
  type FeatureName,
  liveFeatures,
  usersByUsername,
} from "@drover/platform";
import type { Informer } from "kopf-ts";
import { type Authn, shownToken } from "../authn/index.ts";
import { baseUrl } from "../base-url.ts";
import { parseJson, readBody } from "../body.ts";
import { BusyError } from "../gate.ts";
import type { ApiParts } from "../parts.ts";
import { type Exchange, type Stage, send } from "../stage.ts";
import { type Problem, problem, problemOf } from "../v1/problem.ts";
import { endedCookies, errorBody, sessionCookieOf, tokenBody, v3TokenBody } from "./answers.ts";
import { Attempts } from "./attempts.ts";
import { noteLogin } from "./attribute.ts";
import { type LoginInput, parseLogin } from "./input.ts";
import { LocalProvider } from "./local.ts";
import { isEnabled, listed, type Person, type Provider, v3Listed } from "./provider.ts";
import { type Route, routeOf } from "./routes.ts";
import { Sessions } from "./sessions.ts";
import { Shares } from "./shares.ts";

/** What logins need. */
export interface LoginParts
  extends Pick<ApiParts, "client" | "informers" | "settings" | "clock" | "log"> {
  /** What features are unless their objects say otherwise. */
  readonly features: FeatureDefaults;
  readonly authn: Pick<Authn, "revoke">;
}

type Login = Extract<Route, { action: "login" }>;

/**
 * Serves `/v1-public`, `/v3-public` (while feature `v3-public` is on), `/v1/logout` and the logouts of `/v3/tokens`; everything else goes to the next
 * stage. Holds shares of informers until it is disposed.
 */
export class Logins implements Disposable {
  readonly #parts: LoginParts;
  readonly #users: Informer<User>;
  readonly #configs: Informer<AuthConfig>;
  readonly #features: Informer<Feature>;
  readonly #isOn: (feature: FeatureName) => boolean;
  readonly #usersIndexed: Promise<void>;
  readonly #sessions: Sessions;
  readonly #attempts: Attempts;
  readonly #shares = new Shares();
  readonly #providers: readonly Provider[];

  constructor(parts: LoginParts) {
    const { client, informers, settings, clock, log, authn } = parts;
    this.#parts = parts;
    this.#users = informers.acquire(User);
    this.#configs = informers.acquire(AuthConfig);
    this.#features = informers.acquire(Feature);
    this.#isOn = liveFeatures(this.#features.cache, parts.features);
    this.#usersIndexed = this.#users.addIndex(usersByUsername.name, usersByUsername.of);
    this.#usersIndexed.catch(() => undefined); // whoever logs in hears of it
    this.#sessions = new Sessions({
      ...{ client, informers, settings },
      isOn: this.#isOn,
      onDeleted: (token) => authn.revoke(token),
    });
    this.#attempts = new Attempts(clock);
    this.#providers = [new LocalProvider({ client, users: this.#users.cache, log })];
  }

  [Symbol.dispose](): void {
    for (const share of [this.#users, this.#configs, this.#features]) share.release();
    this.#sessions[Symbol.dispose]();
  }

  /** Answers what is about logins. */
  readonly stage: Stage = (exchange, next) => {
    const { request, path, query } = exchange;
    const route = this.#serves(path) ? routeOf(request.method ?? "GET", path, query) : undefined;
    return route === undefined ? next() : this.#answer(route, exchange);
  };

  async #answer(route: Route, exchange: Exchange): Promise<void> {
    try {
      await this.#serve(route, exchange);
    } catch (thrown) {
      refuse(exchange, thrown);
    }
  }

  #serves(path: string): boolean {
    return !path.startsWith("/v3-public/") || this.#isOn("v3-public");
  }

  async #serve(route: Route, exchange: Exchange): Promise<void> {
    switch (route.action) {
      case "login":
        return this.#login(route, exchange);
      case "list":
        return json(exchange, 200, this.#list(route.api, exchange));
      case "show":
        return json(exchange, 200, this.#show(route, exchange));
      case "logout":
        return this.#logout(exchange, route.all);
      case "unknown-action":
        throw problem("ActionNotAvailable", "the only action here is login");
      case "wrong-method":
        exchange.response.setHeader("Allow", route.allow);
        throw problem("MethodNotAllowed", `only ${route.allow} is possible here`);
    }
  }

  async #login(route: Login, exchange: Exchange): Promise<void> {
    const { clock, client, log, settings } = this.#parts;
    const longest = settings.bytes("public-api-body-limit");
    const input = parseLogin(await readJson(exchange, longest));
    const provider = this.#providerFor(route, input);
    const { remoteAddress = "" } = exchange.request.socket;
    const person = await this.#shares.run(remoteAddress, () =>
      this.#authenticated(provider, input, exchange),
    );
    if (person.user.enabled === false) throw problem("PermissionDenied", "Permission Denied");
    await noteLogin(client, person, provider, clock.now());
    const made = await this.#sessions.begin(person, provider, input);

    log.info("logged in", { user: person.user.metadata.name, provider: provider.name });
    const told = person.user.mustChangePassword === true ? { mustChangePassword: true } : {};
    if (input.responseType.kind === "cookie") {
      exchange.response.appendHeader("Set-Cookie", sessionCookieOf(made));
      return json(exchange, 200, told);
    }
    const body = route.api === "v1" ? tokenBody(made) : v3TokenBody(made, input.description);
    json(exchange, 201, { ...body, ...told });
  }

  #providerFor(route: Login, { type }: LoginInput): Provider {
    const found =
      route.api === "v1"
        ? this.#enabled().find((each) => each.type === type)
        : this.#named(route.types, route.name);
    if (found !== undefined) return found;
    if (route.api === "v3") throw problem("NotFound", "there is no such authentication provider");
    if (type === "") throw problem("MissingRequired", "type is missing", "type");
    throw problem("InvalidOption", "no authentication provider of this type is enabled", "type");
  }

  /** The person, if it is the right password and not one guess too many. */
  async #authenticated(
    provider: Provider,
    input: LoginInput,
    { request, signal }: Exchange,
  ): Promise<Person> {
    const address = request.socket.remoteAddress ?? "";
    const wait = this.#attempts.begin(input.username, address);
    if (wait > 0) throw new Slowed(wait);
    await this.#usersIndexed;
    const person = await provider.authenticate(input, signal).catch((thrown: unknown) => {
      this.#attempts.undecided(input.username, address);
      throw thrown;
    });
    if (person === undefined) {
      this.#parts.log.info("a login failed", { provider: provider.name, address });
      throw problem("Unauthorized", "authentication failed");
    }
    this.#attempts.succeeded(input.username, address);
    return person;
  }

  #list(api: "v1" | "v3", { request }: Exchange): object {
    if (api === "v1") return { data: this.#enabled().map(listed) };
    const base = baseUrl(request);
    return {
      type: "collection",
      resourceType: "authProvider",
      links: { self: `${base}/v3-public/authProviders` },
      data: this.#enabled().map((provider) => v3Listed(provider, base)),
    };
  }

  #show({ types, name }: Extract<Route, { action: "show" }>, { request }: Exchange): object {
    const provider = this.#named(types, name);
    if (provider === undefined) {
      throw problem("NotFound", "there is no such authentication provider");
    }
    return v3Listed(provider, baseUrl(request));
  }

  #enabled(): readonly Provider[] {
    return this.#providers.filter((provider) => isEnabled(provider, this.#configs.cache));
  }

  #named(types: string | undefined, name: string): Provider | undefined {
    return this.#enabled().find(
      (each) => each.name === name && (types === undefined || `${each.type}s` === types),
    );
  }

  /** Cookies end for whoever shows a token, though it may not count any more; forms of other sites come without and must not end them (rancher: pkg/auth/logout). */
  async #logout(exchange: Exchange, all: boolean): Promise<void> {
    const { request, response, login } = exchange;
    if (shownToken(request.headers) !== undefined)
      response.appendHeader("Set-Cookie", endedCookies());
    if (login.token === undefined) throw problem("Unauthorized", "there is no session to end");
    await this.#sessions.end(login.token, { all });
    this.#parts.log.info("logged out", { user: login.caller.username, all });
    json(exchange, 200, {});
  }
}

async function readJson(exchange: Exchange, longest: number): Promise<unknown> {
  const [type = ""] = (exchange.request.headers["content-type"] ?? "").toLowerCase().split(";");
  if (!["", "application/json"].includes(type.trim())) {
    throw problem("UnsupportedMediaType", "the body must be JSON", "Content-Type");
  }
  return parseJson(await readBody(exchange, longest));
}

/** Too many passwords were wrong. */
class Slowed extends Error {
  /** Milliseconds. */
  readonly wait: number;

  constructor(wait: number) {
    super("too many logins failed");
    this.wait = wait;
  }
}

function json({ response }: Exchange, status: number, body: object): void {
  send(response, status, `${JSON.stringify(body)}\n`, "application/json");
}

/** Errors in Rancher's shape; a defect of ours goes on, to be logged and answered without its message. */
function refuse(exchange: Exchange, thrown: unknown): void {
  const { response, signal } = exchange;
  if (signal.aborted) return;
  if (response.headersSent) throw thrown;
  const found = overload(exchange, thrown) ?? problemOf(thrown);
  if (found === undefined) throw thrown;
  json(exchange, found.status, errorBody(found));
}

function overload({ response }: Exchange, thrown: unknown): Problem | undefined {
  if (thrown instanceof BusyError) {
    response.setHeader("Retry-After", "1");
    return problem("TooManyRequests", "too many people are logging in");
  }
  if (!(thrown instanceof Slowed)) return undefined;
  response.setHeader("Retry-After", String(Math.ceil(thrown.wait / 1000)));
  return problem("TooManyRequests", "too many logins failed; wait a little");
}
