import type { Clock, Logger } from "../base/index.ts";
import type { Informers } from "../cache/index.ts";
import { apiVersionOf, type Client, RestMapper, type ServedKind } from "../kube/index.ts";

/** Where new kinds are looked for, and who waits for them. */
export interface NewKindsOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Tells informers of the kinds their server begins to serve: a watch that waits for a CRD goes on a second or two after that is established.
 * CRDs are followed only while some watch is refused; otherwise this costs nothing. Where they may not be watched, the watch's own looks
 * remain, every 15 to 30 s. After it is disposed of no request is under way.
 */
export class NewKinds implements AsyncDisposable {
  readonly #options: NewKindsOptions;
  /** Outlives a round, so that a kind that is served and still refused is not tried in circles. */
  #known: ReadonlySet<string> = new Set();
  #subscription: Disposable | undefined;
  #round: AbortController | undefined;
  /** Resolves when every round so far has ended. */
  #rounds: Promise<unknown> = Promise.resolve();

  constructor(options: NewKindsOptions) {
    this.#options = options;
  }

  start(): this {
    this.#subscription = this.#options.informers.onRefused((refused) => {
      this.#stop();
      if (refused) this.#begin();
    });
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription?.[Symbol.dispose]();
    this.#stop();
    await this.#rounds;
  }

  #begin(): void {
    this.#round = new AbortController();
    this.#rounds = Promise.all([this.#rounds, this.#follow(this.#round.signal)]);
  }

  #stop(): void {
    this.#round?.abort(new DOMException("no watch waits for a kind any more", "AbortError"));
    this.#round = undefined;
  }

  /** The very first discovery tells every kind: one may have come between the refusal and now. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { client, informers, clock, logger } = this.#options;
    const mapper = new RestMapper(client, { clock, logger });
    using _ = mapper.subscribe((kinds) => {
      const before = this.#known;
      this.#known = new Set(kinds.map(nameOf));
      informers.retry(kinds.filter((kind) => !before.has(nameOf(kind))));
    });
    await mapper.start(signal);
  }
}

function nameOf(kind: ServedKind): string {
  return `${apiVersionOf(kind)} ${kind.plural}`;
}
