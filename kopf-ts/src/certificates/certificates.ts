import type { X509Certificate } from "node:crypto";
import type { Clock, Logger } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import type { InformerSource } from "../control/index.ts";
import { Secret } from "../kinds/index.ts";
import { type Client, keyOf } from "../kube/index.ts";
import {
  type Authority,
  issuerOf,
  pemOf,
  readAuthority,
  readServing,
  type Serving,
  withoutDoubles,
} from "./contents.ts";
import type { KeyPair } from "./pair.ts";
import { type Lifetimes, plan, type Situation, type Step, usualLifetimes } from "./plan.ts";
import { type SecretName, writeSecret } from "./secrets.ts";

/** Where certificates are kept, and what they are for. */
export interface CertificatesOptions {
  /** Begins the common names. */
  readonly name: string;
  /** Whom they are for, in messages: `the webhooks`. */
  readonly what: string;
  readonly authority: SecretName;
  readonly serving: SecretName;
  /** DNS names and IP addresses of the server. */
  readonly names: () => readonly string[];
  readonly lifetimes: Lifetimes;
}

/** What certificates work with. */
export interface CertificatesDeps {
  readonly client: Client;
  readonly informers: InformerSource;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The two Secrets as somebody has read them. */
interface Secrets {
  readonly authority: Secret | undefined;
  readonly serving: Secret | undefined;
}

/** At the start only what nobody could be served with is made: renewing is the leader's. */
const firstAid = {
  presented: undefined,
  names: [],
  lifetimes: { ...usualLifetimes, renewBefore: 0, settle: 0 },
};
/** Attempts to settle with other replicas who makes what, before giving up. */
const mostAttempts = 20;

/**
 * The authority and the serving certificate that all replicas share. Guarantees: whoever comes first makes them, everybody else takes those;
 * each replica follows the Secrets, and keeps what it has while they hold nothing usable. `step` is for the leader alone.
 */
export class Certificates implements Disposable {
  readonly #options: CertificatesOptions;
  readonly #deps: CertificatesDeps;
  readonly #informers: Record<keyof Secrets, Informer<Secret>>;
  readonly #subscriptions: readonly Disposable[];
  #authority: Authority | undefined;
  #serving: Serving | undefined;
  /** Authorities of what was served, which the Secret does not name any more. */
  #retained: readonly X509Certificate[] = [];
  #onServing: (pair: KeyPair) => void = () => undefined;

  constructor(options: CertificatesOptions, deps: CertificatesDeps) {
    this.#options = options;
    this.#deps = deps;
    const follow = ({ namespace, name }: SecretName): Informer<Secret> =>
      deps.informers.acquire(Secret, { namespace, fieldSelector: `metadata.name=${name}` });
    this.#informers = { authority: follow(options.authority), serving: follow(options.serving) };
    const { authority, serving } = this.#informers;
    this.#subscriptions = [authority, serving].map(({ cache }) =>
      cache.subscribe(() => this.#take(this.#cached())),
    );
  }

  /** Resolves with a certificate to serve, which it makes when there is none that anybody could be served with. */
  async open(signal: AbortSignal, onServing: (pair: KeyPair) => void): Promise<KeyPair> {
    const { client, log } = this.#deps;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const secrets = await this.#read(signal);
      const step = plan({ ...this.#situation(secrets), ...firstAid });
      if (step.do === "nothing" || step.do === "trim" || !step.broken) {
        this.#take(secrets);
        if (this.#serving === undefined) continue;
        this.#onServing = onServing;
        return this.#serving.pair;
      }
      await this.#make(step, secrets, client, log);
    }
    throw new Error(`the Secrets of certificates for ${this.#options.what} change all the time`);
  }

  /** PEM of every authority whose certificates may be served; empty before `open`. */
  get bundle(): string {
    this.#take(this.#cached());
    return pemOf(this.#trusted);
  }

  /** The authority that signs now. */
  get signer(): X509Certificate | undefined {
    return this.#authority?.certificate;
  }

  /** Calls the listener whenever one of the Secrets changes. */
  subscribe(listener: () => void): readonly Disposable[] {
    return Object.values(this.#informers).map(({ cache }) => cache.subscribe(listener));
  }

  /** Resolves when the Secrets are followed. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(Object.values(this.#informers).map((each) => each.whenSynced(signal)));
  }

  /**
   * Does what is due, with a client that only the leader's writes pass. Resolves with the time to look again, undefined for at once.
   * `trustedSince` as in plan.
   */
  async step(
    { client, log }: { readonly client: Client; readonly log: Logger },
    trustedSince: number | undefined,
  ): Promise<number | undefined> {
    const secrets = this.#cached();
    this.#take(secrets);
    const step = plan({ ...this.#situation(secrets), trustedSince });
    if (step.do === "nothing") return step.until;
    await this.#make(step, secrets, client, log);
    return undefined;
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    for (const informer of Object.values(this.#informers)) informer.release();
  }

  get #trusted(): readonly X509Certificate[] {
    return withoutDoubles([...(this.#authority?.bundle ?? []), ...this.#retained]);
  }

  #situation(secrets: Secrets): Situation {
    const { names, lifetimes } = this.#options;
    return {
      authority: readAuthority(secrets.authority),
      serving: readServing(secrets.serving),
      presented: this.#serving,
      names: names(),
      trustedSince: undefined,
      now: this.#deps.clock.now(),
      lifetimes,
    };
  }

  async #make(
    step: Exclude<Step, { readonly do: "nothing" }>,
    secrets: Secrets,
    client: Client,
    log: Logger,
  ): Promise<void> {
    if (step.do === "trim") await this.#trim(step.bundle, secrets, client, log);
    else await this.#renew(step, secrets, client, log);
  }

  async #renew(
    { do: what, reason, broken }: Extract<Step, { readonly reason: string }>,
    secrets: Secrets,
    client: Client,
    log: Logger,
  ): Promise<void> {
    const former = secrets[what];
    const told = {
      for: this.#options.what,
      secretName: keyOf({ apiVersion: "v1", kind: "Secret", metadata: this.#options[what] }),
      reason,
    };
    if (former !== undefined && broken)
      log.warn("replacing what a Secret of certificates holds", told);
    else log.info(`making the ${words[what]}`, told);
    const made =
      what === "authority" ? await this.#newAuthority() : await this.#newServing(secrets);
    await this.#written(what, await writeSecret(client, this.#options[what], made, former));
  }

  async #trim(
    bundle: readonly X509Certificate[],
    { authority }: Secrets,
    client: Client,
    log: Logger,
  ): Promise<void> {
    const read = readAuthority(authority);
    if ("fault" in read) return;
    log.info("dropping former authorities", { for: this.#options.what, kept: bundle.length });
    const made = { ...read.found.pair, bundle: pemOf(bundle) };
    const written = await writeSecret(client, this.#options.authority, made, authority);
    await this.#written("authority", written);
  }

  /** Those before it stay trusted. */
  async #newAuthority(): Promise<KeyPair & { readonly bundle: string }> {
    const { issueAuthority } = await import("./issue.ts");
    const { name, lifetimes } = this.#options;
    const now = this.#deps.clock.now();
    const commonName = `${name} ${Math.floor(now / 1000)}`;
    const pair = await issueAuthority({ commonName, now, life: lifetimes.authority });
    const living = this.#trusted.filter(({ validTo }) => now < Date.parse(validTo));
    return { ...pair, bundle: pair.cert + pemOf(living) };
  }

  async #newServing({ authority }: Secrets): Promise<KeyPair> {
    const read = readAuthority(authority);
    if ("fault" in read) throw new Error(`cannot sign: ${read.fault}`);
    const { issueServing } = await import("./issue.ts");
    const { name, names, lifetimes } = this.#options;
    const request = { commonName: name, now: this.#deps.clock.now(), life: lifetimes.serving };
    return issueServing(read.found.pair, { ...request, names: names() });
  }

  /** The next look must see what was written. */
  async #written(what: keyof Secrets, secret: Secret | undefined): Promise<void> {
    const version = secret?.metadata.resourceVersion;
    const { cache } = this.#informers[what];
    if (version !== undefined && cache.synced) await cache.waitFor(version);
  }

  /** Keeps what is usable; what is not changes nothing. */
  #take({ authority, serving }: Secrets): void {
    const readA = readAuthority(authority);
    if ("found" in readA) this.#trust(readA.found);
    const readS = readServing(serving);
    if (!("found" in readS) || this.#authority === undefined) return;
    const { certificate, pair } = readS.found;
    if (certificate.fingerprint256 === this.#serving?.certificate.fingerprint256) return;
    if (issuerOf(certificate, this.#trusted) === undefined) return;
    this.#serving = readS.found;
    this.#deps.log.info("serving another certificate", {
      for: this.#options.what,
      validTo: certificate.validTo,
    });
    this.#onServing(pair);
  }

  /** Whoever replaces the authority without naming the former one must not cut off what is still served. */
  #trust(authority: Authority): void {
    const before = this.#trusted;
    this.#authority = authority;
    const issuer = this.#serving && issuerOf(this.#serving.certificate, before);
    const isNamed = authority.bundle.some((each) => each.fingerprint256 === issuer?.fingerprint256);
    this.#retained = issuer === undefined || isNamed ? [] : [issuer];
  }

  #cached(): Secrets {
    const { authority, serving } = this.#informers;
    const { authority: a, serving: s } = this.#options;
    const keys = { authority: `${a.namespace}/${a.name}`, serving: `${s.namespace}/${s.name}` };
    return {
      authority: authority.cache.get(keys.authority),
      serving: serving.cache.get(keys.serving),
    };
  }

  async #read(signal: AbortSignal): Promise<Secrets> {
    const { client } = this.#deps;
    const find = ({ namespace, name }: SecretName): Promise<Secret | undefined> =>
      client.find(Secret, name, { namespace, signal });
    const [authority, serving] = await Promise.all([
      find(this.#options.authority),
      find(this.#options.serving),
    ]);
    return { authority, serving };
  }
}

const words = { authority: "authority", serving: "certificate" } as const;
