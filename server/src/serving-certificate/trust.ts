import type { X509Certificate } from "node:crypto";
import { Setting } from "@drover/crds";
import { type Environment, environmentValue } from "@drover/platform";
import type { Cache, Clock, Informer, Informers } from "kopf-ts";
import type { Trust } from "kopf-ts/certificates";
import { fingerprintsIn } from "./bundle.ts";
import { cacerts } from "./names.ts";

/** Knows since when setting cacerts shows an authority. Where the environment sets it, nobody can wait for that. */
export class SettingTrust implements Trust, Disposable {
  readonly #settings: Informer<Setting>;
  readonly #env: Environment;
  readonly #clock: Clock;
  #shown: { readonly fingerprint: string; readonly since: number } | undefined;

  constructor(informers: Pick<Informers, "acquire">, env: Environment, clock: Clock) {
    this.#settings = informers.acquire(Setting);
    this.#env = env;
    this.#clock = clock;
  }

  async synced(signal: AbortSignal): Promise<void> {
    await this.#settings.whenSynced(signal);
  }

  /** Of any setting: server-url gives the certificate a name. */
  subscribe(listener: () => void): readonly Disposable[] {
    return [this.#settings.cache.subscribe(listener)];
  }

  since(authority: X509Certificate | undefined): number | undefined {
    if (environmentValue(cacerts, this.#env) !== undefined) return 0;
    const fingerprint = authority?.fingerprint256 ?? "";
    if (!shows(this.#settings.cache, fingerprint)) this.#shown = undefined;
    else if (this.#shown?.fingerprint !== fingerprint) {
      this.#shown = { fingerprint, since: this.#clock.now() };
    }
    return this.#shown?.since;
  }

  [Symbol.dispose](): void {
    this.#settings.release();
  }
}

function shows(settings: Cache<Setting>, fingerprint: string): boolean {
  return fingerprintsIn(settings.get(cacerts)?.value ?? "").includes(fingerprint);
}
