import {
  aborted,
  type Clock,
  type Logger,
  Slots,
  silentLogger,
  systemClock,
} from "../base/index.ts";
import {
  Certificates,
  type Lifetimes,
  type RenewalContext,
  renewal,
  usualLifetimes,
} from "../certificates/index.ts";
import type { Controller, InformerSource } from "../control/index.ts";
import type { Client } from "../kube/index.ts";
import type { WebhookMetrics } from "../observe/index.ts";
import { checkPaths, type Hook, openHooks } from "./hook.ts";
import { Listener } from "./http/listener.ts";
import {
  type ClientConfig,
  type Configuration,
  type Registered,
  serverNames,
} from "./registration/configurations.ts";
import { Registration } from "./registration/controllers.ts";
import { ConfiguredTrust } from "./trust.ts";
import type { AnyWebhook, MatchCondition } from "./webhook.ts";

/** Options of AdmissionServer. */
export interface AdmissionOptions {
  /** Of both webhook configurations, for example `rancher.cattle.io`; at least two words with a dot between them, as the API server asks of entries. */
  readonly name: string;
  readonly webhooks: readonly AnyWebhook[];
  /** Begins every path, for example `/v1/webhook`; empty unless told. */
  readonly pathPrefix?: string;
  /** Where it listens; every address unless told. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How API servers reach it; a function gets the port that it listens on. */
  readonly clientConfig: ClientConfig | ((port: number) => ClientConfig);
  /** Where replicas share certificates; the names are `<name>-ca` and `<name>-tls` unless told. */
  readonly secrets: {
    readonly namespace: string;
    readonly authority?: string;
    readonly serving?: string;
  };
  /** In CEL; all entries get these before their own. The place to leave out an identity under which the operator itself writes. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Deletes the configurations on a clean stop: for operators on somebody's desk. */
  readonly removeOnStop?: boolean;
  readonly lifetimes?: Partial<Lifetimes>;
  /** Reviews in work at once, others wait; 256 unless told. */
  readonly maxInFlight?: number;
}

/** What an AdmissionServer works with. */
export interface AdmissionDeps {
  readonly client: Client;
  readonly informers: InformerSource;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Metrics of observe will do. */
  readonly metrics?: { webhook(path: string): WebhookMetrics } | undefined;
  /** Under which handlers write; `admission` unless told. */
  readonly fieldManager?: string;
}

/** Work of the leader besides reconciling; a Task of operator. */
export interface AdmissionTask {
  readonly name: string;
  run(context: RenewalContext): Promise<void>;
}

/** What exists while it listens. */
interface Opened {
  readonly hooks: ReadonlyMap<string, Hook>;
  readonly certificates: Certificates;
  readonly listener: Listener;
  readonly port: number;
}

/**
 * Answers AdmissionReviews over HTTPS. Every replica listens; `controllers` and `tasks` are for the leader: they write the webhook
 * configurations and renew certificates. An Operator that is given AdmissionOptions does all of it in order.
 */
export class AdmissionServer {
  /** Keep the webhook configurations; to be run by one process at a time. */
  readonly controllers: readonly Controller<Configuration>[];
  /** Renew certificates, and remove the configurations at the end if so told; to be run by one process at a time. */
  readonly tasks: readonly AdmissionTask[];
  readonly #options: AdmissionOptions;
  readonly #deps: Required<Omit<AdmissionDeps, "metrics">> & Pick<AdmissionDeps, "metrics">;
  #opened: Opened | undefined;

  /** Throws a TypeError when two webhooks have a handler for the same. */
  constructor(options: AdmissionOptions, deps: AdmissionDeps) {
    checkPaths(options.webhooks);
    this.#options = options;
    this.#deps = {
      clock: systemClock,
      logger: silentLogger,
      fieldManager: "admission",
      ...deps,
    };
    const registration = new Registration(options.name, {
      registered: () => this.#registered,
      bundle: () => this.#open.certificates.bundle,
      authority: this.#secret("authority"),
    });
    this.controllers = registration.controllers;
    const renewing = {
      name: "webhook-certificates",
      run: async (context: RenewalContext) => {
        using trust = new ConfiguredTrust(options.name, this.#deps.informers, context.clock);
        await renewal(this.#open.certificates, trust, context);
      },
    };
    const removing = {
      name: "webhook-removal",
      run: async ({ client, signal }: RenewalContext) => {
        await aborted(signal);
        await registration.remove(client);
      },
    };
    this.tasks = options.removeOnStop === true ? [renewing, removing] : [renewing];
  }

  /** Where it listens. Throws unless it does. */
  get port(): number {
    return this.#open.port;
  }

  /**
   * Resolves when it listens, with a certificate that all replicas share. Rejects when the port cannot be had, or the API server does not
   * let it read or write the Secrets; trying again is safe.
   */
  async listen(signal: AbortSignal): Promise<void> {
    if (this.#opened !== undefined) throw new Error("an AdmissionServer listens only once");
    const { webhooks, pathPrefix = "", host, port } = this.#options;
    const hooks = openHooks(webhooks, pathPrefix, this.#deps.informers);
    const certificates = this.#certificates();
    let listener: Listener | undefined;
    try {
      const pair = await certificates.open(signal, (next) => listener?.present(next));
      listener = this.#listener(hooks, pair);
      const bound = await listener.listen({ host, port });
      this.#opened = { hooks, certificates, listener, port: bound };
      this.#deps.logger.info("serving webhooks", { port: bound, webhooks: hooks.size });
    } catch (error) {
      release(hooks, certificates);
      throw error;
    }
  }

  /** Resolves when every cache that webhooks read is filled. Requests that come before fill those of their own webhook, and wait for them. */
  async synced(signal: AbortSignal): Promise<void> {
    const { hooks } = this.#open;
    await Promise.all([...hooks.values()].map(({ caches }) => caches.opened.synced(signal)));
  }

  /** A check of health. */
  readonly check = (): string => {
    if (this.#opened?.listener.listening !== true) throw new Error("webhooks are not served");
    return `port ${this.#opened.port}`;
  };

  /** Takes nothing new; what is in work gets `grace` milliseconds (5,000 unless told) to be answered. Then gives its caches back. */
  async close(grace = 5000): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    await opened.listener.close(grace);
    release(opened.hooks, opened.certificates);
  }

  get #open(): Opened {
    if (this.#opened === undefined) throw new Error("the AdmissionServer does not listen yet");
    return this.#opened;
  }

  get #clientConfig(): ClientConfig {
    const { clientConfig, port } = this.#options;
    return typeof clientConfig === "function"
      ? clientConfig(this.#opened?.port ?? port)
      : clientConfig;
  }

  get #registered(): Registered {
    const { name, pathPrefix = "", webhooks, matchConditions = [] } = this.#options;
    return { name, pathPrefix, clientConfig: this.#clientConfig, webhooks, matchConditions };
  }

  #certificates(): Certificates {
    const { name, lifetimes } = this.#options;
    const { client, informers, clock, logger } = this.#deps;
    const options = {
      name,
      what: "the webhooks",
      authority: this.#secret("authority"),
      serving: this.#secret("serving"),
      names: () => serverNames(this.#clientConfig),
      lifetimes: { ...usualLifetimes, ...lifetimes },
    };
    return new Certificates(options, { client, informers, clock, log: logger });
  }

  #listener(
    hooks: ReadonlyMap<string, Hook>,
    pair: { readonly cert: string; readonly key: string },
  ): Listener {
    const { client, clock, logger: log, metrics, fieldManager } = this.#deps;
    const slots = new Slots(this.#options.maxInFlight ?? 256);
    const metricsOf = (path: string): WebhookMetrics | undefined => metrics?.webhook(path);
    return new Listener({ hooks, client, fieldManager, clock, log, slots, metricsOf }, pair);
  }

  #secret(what: "authority" | "serving"): { readonly namespace: string; readonly name: string } {
    const { name, secrets } = this.#options;
    const usual = { authority: `${name}-ca`, serving: `${name}-tls` };
    return { namespace: secrets.namespace, name: secrets[what] ?? usual[what] };
  }
}

function release(hooks: ReadonlyMap<string, Hook>, certificates: Certificates): void {
  for (const { caches } of hooks.values()) caches.release();
  certificates[Symbol.dispose]();
}
