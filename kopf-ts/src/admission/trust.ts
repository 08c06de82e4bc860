import type { X509Certificate } from "node:crypto";
import type { Clock } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import type { Trust } from "../certificates/index.ts";
import type { InformerSource } from "../control/index.ts";
import { type Configuration, configurationKinds } from "./registration/configurations.ts";

/** Knows since when the webhook configurations, as the API server shows them, trust an authority. */
export class ConfiguredTrust implements Trust, Disposable {
  readonly #informers: readonly Informer<Configuration>[];
  readonly #name: string;
  readonly #clock: Clock;
  #trusted: { readonly fingerprint: string; readonly since: number } | undefined;

  constructor(name: string, informers: InformerSource, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
    const select = { fieldSelector: `metadata.name=${name}` };
    this.#informers = Object.values(configurationKinds).map((kind) =>
      informers.acquire(kind, select),
    );
  }

  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((each) => each.whenSynced(signal)));
  }

  /** Calls the listener whenever a configuration changes. */
  subscribe(listener: () => void): readonly Disposable[] {
    return this.#informers.map(({ cache }) => cache.subscribe(listener));
  }

  /** Milliseconds of the time of day; undefined while some entry does not trust it. A configuration that is not there asks nobody. */
  since(authority: X509Certificate | undefined): number | undefined {
    const fingerprint = authority?.fingerprint256 ?? "";
    if (authority === undefined || !this.#isNamed(authority.toString())) this.#trusted = undefined;
    else if (this.#trusted?.fingerprint !== fingerprint) {
      this.#trusted = { fingerprint, since: this.#clock.now() };
    }
    return this.#trusted?.since;
  }

  [Symbol.dispose](): void {
    for (const informer of this.#informers) informer.release();
  }

  #isNamed(pem: string): boolean {
    const entries = this.#informers.flatMap(({ cache }) => cache.get(this.#name)?.webhooks ?? []);
    return entries.every(({ clientConfig: { caBundle = "" } }) =>
      Buffer.from(caBundle, "base64").includes(pem),
    );
  }
}
