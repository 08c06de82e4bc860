/** Keeps the two webhook configurations as the webhooks ask for. */

import { type Context, type Controller, done, type Result, related } from "../../control/index.ts";
import { Secret } from "../../kinds/index.ts";
import { refTo } from "../../kube/index.ts";
import type { Phase } from "../names.ts";
import { jsonPatch } from "../review/json-patch.ts";
import {
  type Configuration,
  configurationKinds,
  configurationOf,
  type Registered,
} from "./configurations.ts";

/** What registration needs to know at each look. */
export interface RegistrationSource {
  readonly registered: () => Registered;
  /** PEM of every authority whose certificates may be served. */
  readonly bundle: () => string;
  /** Where the authority is kept: a change of it changes the configurations. */
  readonly authority: { readonly namespace: string; readonly name: string };
}

/**
 * One controller for each configuration. Guarantees: whatever somebody changes in the entries is put back, labels and annotations are left
 * alone; what is equal is not written; a configuration without entries is deleted.
 */
export class Registration {
  readonly controllers: readonly Controller<Configuration>[];
  readonly #source: RegistrationSource;
  readonly #name: string;
  /** Nothing is written any more: the configurations go, or have gone. */
  #over = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(name: string, source: RegistrationSource) {
    this.#name = name;
    this.#source = source;
    this.controllers = [this.#controller("validation"), this.#controller("mutation")];
  }

  /** Deletes both for good. */
  async remove(client: Context["client"]): Promise<void> {
    this.#over = true;
    await this.#writing;
    const kinds = Object.values(configurationKinds);
    await Promise.all(kinds.map((kind) => client.delete(refTo(kind, this.#name))));
  }

  #controller(phase: Phase): Controller<Configuration> {
    const { namespace, name } = this.#source.authority;
    const select = { namespace, fieldSelector: `metadata.name=${name}` };
    return {
      name: `webhook-${phase}`,
      watches: configurationKinds[phase],
      select: { fieldSelector: `metadata.name=${this.#name}` },
      related: [related(Secret, { select, map: () => [this.#name] })],
      concurrency: 1,
      reconcile: (live, context) => this.#write(() => this.#repair(phase, live, context)),
      gone: (_, context) => this.#write(() => this.#create(phase, context)),
    };
  }

  async #repair(phase: Phase, live: Configuration, { client, log }: Context): Promise<Result> {
    const desired = configurationOf(phase, this.#source.registered(), this.#source.bundle());
    if (desired === undefined) {
      await client.delete(live);
      log.info("deleted a webhook configuration without webhooks");
    } else if (jsonPatch(live.webhooks ?? [], desired.webhooks).length > 0) {
      await client.update({ ...live, webhooks: desired.webhooks ?? [] });
      log.info("repaired the webhook configuration");
    }
    return done;
  }

  async #create(phase: Phase, { client, log }: Context): Promise<Result> {
    const desired = configurationOf(phase, this.#source.registered(), this.#source.bundle());
    if (desired === undefined) return done;
    await client.create(desired);
    log.info("created the webhook configuration");
    return done;
  }

  async #write(write: () => Promise<Result>): Promise<Result> {
    if (this.#over) return done;
    const writing = write();
    this.#writing = Promise.allSettled([this.#writing, writing]);
    return writing;
  }
}
