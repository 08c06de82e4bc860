import { type Clock, type Logger, messageOf, silentLogger, systemClock } from "../../base/index.ts";
import type { Client, RequestOptions } from "../client.ts";
import { ApiError } from "../errors.ts";
import { apiVersionOf, resourceName } from "../kind.ts";
import {
  type DiscoveryFailure,
  discoverAgain,
  kindsOfVersion,
  type RepeatableDiscovery,
  type ServedKind,
  versionPath,
} from "./discover.ts";
import { followSources } from "./follow.ts";
import { Refresh } from "./refresh.ts";

/** What a mapper works with. */
export interface RestMapperOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Milliseconds within which a group and version is not asked twice for a kind it did not have. */
const ASK_AGAIN = 1_000;

/**
 * Knows which kinds an API server serves.
 *
 * Guarantees: a kind that is not known is asked for, at most once a second per group and version, so a CRD can be used as
 * soon as it is established. Once started it follows changes of CRDs and APIServices: kinds that went away are forgotten and
 * `subscribe` tells of every difference. Caveats: not started, it keeps what it learned until `invalidate`. Kinds of an
 * aggregated API that is away stay as they were last seen. Errors: ApiErrors, `UnknownKind` for what is not served.
 */
export class RestMapper {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #byName = new Map<string, ServedKind>();
  readonly #askedAt = new Map<string, number>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(kinds: readonly ServedKind[]) => void>();
  #all: RepeatableDiscovery | undefined;
  #valid = false;
  #discovering: Promise<RepeatableDiscovery> | undefined;
  /** Whether the last refresh failed, which was said then. */
  #failing = false;

  constructor(
    client: Client,
    { clock = systemClock, logger = silentLogger }: RestMapperOptions = {},
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The kind behind an object's apiVersion and kind; ApiError `UnknownKind` when the server does not serve it. */
  async kindFor(
    apiVersion: string,
    kind: string,
    options: Pick<RequestOptions, "signal"> = {},
  ): Promise<ServedKind> {
    const name = nameOf(apiVersion, kind);
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    await unlessAborted(this.#learn(apiVersion), options.signal);
    const learned = this.#byName.get(name);
    if (learned !== undefined) return learned;
    throw new ApiError({
      message: `${this.#client.server} serves no ${kind} in ${apiVersion}; is its CustomResourceDefinition installed?`,
      code: 0,
      reason: "UnknownKind",
      method: "GET",
      path: versionPath(apiVersion),
    });
  }

  /** The preferred version of a resource such as `pods` or `deployments.apps`, undefined when nothing of that name is served. */
  async preferred(
    resource: string,
    options: Pick<RequestOptions, "signal"> = {},
  ): Promise<ServedKind | undefined> {
    const served = (await this.kinds(options)).filter((kind) => resourceName(kind) === resource);
    return served.find((kind) => kind.preferred) ?? served[0];
  }

  /** Everything that is served. */
  async kinds(options: Pick<RequestOptions, "signal"> = {}): Promise<readonly ServedKind[]> {
    return (await unlessAborted(this.#everything(), options.signal)).kinds;
  }

  /** Groups of which the last discovery could not tell. */
  get failures(): readonly DiscoveryFailure[] {
    return this.#all?.failures ?? [];
  }

  /** Forgets everything; the next question asks the server. */
  invalidate(): void {
    this.#valid = false;
    this.#byName.clear();
    this.#askedAt.clear();
  }

  /** Forgets the kinds of one group and version; the next question asks the server for them. */
  forget(apiVersion: string): void {
    for (const name of this.#byName.keys()) {
      if (name.startsWith(nameOf(apiVersion, ""))) this.#byName.delete(name);
    }
    this.#askedAt.delete(apiVersion);
  }

  /** Calls the listener with all kinds whenever they differ from before, while started. One that throws is logged; the others are called. */
  subscribe(listener: (kinds: readonly ServedKind[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Follows the server's kinds until the signal aborts; never rejects, failures are repeated and the first of them is logged. */
  async start(signal: AbortSignal): Promise<void> {
    const refresh = new Refresh(this.#clock, () => this.#refresh(signal), signal);
    refresh.request();
    await followSources(
      {
        client: this.#client,
        clock: this.#clock,
        logger: this.#logger,
        onChange: () => refresh.request(),
      },
      signal,
    );
    await refresh.settled;
  }

  /** Whether it worked. */
  async #refresh(signal: AbortSignal): Promise<boolean> {
    const before = this.#all;
    this.#valid = false;
    try {
      const after = await this.#discover(signal);
      this.#failing = false;
      if (after !== before) this.#tell(before, after);
      return true;
    } catch (thrown) {
      if (!signal.aborted) this.#sayOnce("served kinds could not be read", thrown);
      return false;
    }
  }

  #sayOnce(message: string, thrown: unknown): void {
    const error = messageOf(thrown);
    if (this.#failing) this.#logger.debug(message, { error });
    else this.#logger.warn(message, { error });
    this.#failing = true;
  }

  #tell(before: RepeatableDiscovery | undefined, after: RepeatableDiscovery): void {
    for (const { apiVersion, message } of after.failures) {
      if (before?.failures.some((old) => old.apiVersion === apiVersion)) continue;
      this.#logger.warn("an API group does not answer", { apiVersion, error: message });
    }
    if (before !== undefined && JSON.stringify(before.kinds) === JSON.stringify(after.kinds))
      return;
    for (const listener of this.#listeners) {
      try {
        listener(after.kinds);
      } catch (thrown) {
        this.#logger.error("a listener to served kinds failed", { error: messageOf(thrown) });
      }
    }
  }

  /** What a refresh is reading is everybody's, until the refresh is aborted. */
  async #everything(): Promise<RepeatableDiscovery> {
    try {
      return await this.#discover();
    } catch (thrown) {
      if (thrown instanceof ApiError) throw thrown;
      return this.#discover();
    }
  }

  #discover(signal?: AbortSignal): Promise<RepeatableDiscovery> {
    if (this.#valid && this.#all !== undefined) return Promise.resolve(this.#all);
    this.#discovering ??= this.#discoverOnce(signal).finally(() => {
      this.#discovering = undefined;
    });
    return this.#discovering;
  }

  async #discoverOnce(signal: AbortSignal | undefined): Promise<RepeatableDiscovery> {
    this.#valid = true; // an invalidation meanwhile makes it false again
    const before = this.#all;
    try {
      const options = signal === undefined ? {} : { signal };
      const found = withUnanswered(before, await discoverAgain(this.#client, before, options));
      if (found === before) return found;
      this.#all = found;
      this.#byName.clear();
      this.#askedAt.clear();
      this.#remember(found.kinds);
      return found;
    } catch (thrown) {
      this.#valid = false;
      throw thrown;
    }
  }

  /** Asks one group and version only: some kilobytes in place of all discovery, and never behind the CRD. */
  async #learn(apiVersion: string): Promise<void> {
    const asked = this.#askedAt.get(apiVersion);
    if (asked !== undefined && this.#clock.monotonic() - asked < ASK_AGAIN) return;
    let asking = this.#asking.get(apiVersion);
    if (asking === undefined) {
      asking = this.#ask(apiVersion).finally(() => this.#asking.delete(apiVersion));
      this.#asking.set(apiVersion, asking);
    }
    await asking;
  }

  async #ask(apiVersion: string): Promise<void> {
    this.#remember((await kindsOfVersion(this.#client, apiVersion)) ?? []);
    this.#askedAt.set(apiVersion, this.#clock.monotonic());
  }

  #remember(kinds: readonly ServedKind[]): void {
    for (const kind of kinds) {
      const name = nameOf(apiVersionOf(kind), kind.kind);
      const known = this.#byName.get(name);
      if (known === undefined || isMain(kind, known)) this.#byName.set(name, kind);
    }
  }
}

/** Two resources may share a kind; the one that can be written is meant (kubectl: meta/restmapper prefers resources over their views). */
function isMain(kind: ServedKind, known: ServedKind): boolean {
  return kind.verbs.includes("create") && !known.verbs.includes("create");
}

/** What a group that does not answer served before, it will serve again. */
function withUnanswered(
  before: RepeatableDiscovery | undefined,
  found: RepeatableDiscovery,
): RepeatableDiscovery {
  if (before === undefined || found === before || found.failures.length === 0) return found;
  const answered = new Set(found.kinds.map(apiVersionOf));
  const silent = found.failures.map(({ apiVersion }) => apiVersion);
  const kept = before.kinds.filter((kind) => {
    const apiVersion = apiVersionOf(kind);
    return silent.includes(apiVersion) && !answered.has(apiVersion);
  });
  return kept.length === 0 ? found : { ...found, kinds: [...found.kinds, ...kept] };
}

/** Several callers share one request, so that the signal of one must not end it for all. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function nameOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
