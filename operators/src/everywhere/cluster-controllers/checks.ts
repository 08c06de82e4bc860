import type { Client, Context } from "kopf-ts";
import type { Health } from "./desired.ts";
import type { Facts } from "./facts.ts";
import { type Fleet, OtherCluster } from "./fleet.ts";
import { reasons } from "./names.ts";
import { probe } from "./probe.ts";

/** How many failures in a row count (rancher: pkg/controllers/managementuser/healthsyncer). */
const tries = 3;

/** The times of checks; all milliseconds. */
export interface Pace {
  /** Between two checks of a cluster that is well, or known not to be. */
  readonly period: number;
  /** Between two tries of a cluster that failed. */
  readonly retry: number;
  /** For one request of a try: a cluster that hangs is known by then. */
  readonly timeout: number;
}

/** Rancher's. */
export const usualPace: Pace = { period: 15_000, retry: 5000, timeout: 5000 };

/** What is known of how a cluster is. */
export interface Checked {
  /** Undefined as long as it has failed, but not often enough. */
  readonly health: Health | undefined;
  /** Milliseconds until it is time to look again. */
  readonly next: number;
}

/** The checks of one cluster so far. */
interface Record {
  /** Through which it was asked. */
  readonly client: Client;
  failures: number;
  /** Monotonic time from which another try is due. */
  due: number;
  health: Health | undefined;
}

/**
 * Health checks of many clusters, each at its own pace: every 15 s, and three tries 5 s apart before a failure counts. Asked again in between it answers
 * what it knows. A cluster that is reached in another way is a new one. The server's own is asked until it has answered well.
 */
export class Checks {
  readonly #fleet: Pick<Fleet, "identify">;
  readonly #pace: Pace;
  readonly #records = new Map<string, Record>();

  constructor(fleet: Pick<Fleet, "identify">, pace: Pace) {
    this.#fleet = fleet;
    this.#pace = pace;
  }

  /** How the cluster is. */
  async check(
    facts: Facts,
    client: Client,
    { clock, signal }: Pick<Context, "clock" | "signal">,
  ): Promise<Checked> {
    const record = this.#recordOf(facts.name, client);
    const { period, retry } = this.#pace;
    if (record.due <= clock.monotonic()) {
      const health = lasting(facts, record) ?? (await this.#ask(facts, client, signal));
      record.failures = health.kind === "healthy" ? 0 : record.failures + 1;
      const isSettled = record.failures === 0 || record.failures >= tries || isCertain(health);
      if (isSettled) record.health = health;
      record.due = clock.monotonic() + (isSettled ? period : retry);
    }
    return { health: record.health, next: record.due - clock.monotonic() };
  }

  /** What was found out about the cluster counts no more. */
  forget(name: string): void {
    this.#records.delete(name);
  }

  #recordOf(name: string, client: Client): Record {
    const known = this.#records.get(name);
    if (known?.client === client) return known;
    const due = Number.NEGATIVE_INFINITY;
    const record: Record = { client, failures: 0, due, health: undefined };
    this.#records.set(name, record);
    return record;
  }

  async #ask({ name, isInternal }: Facts, client: Client, signal: AbortSignal): Promise<Health> {
    const health = await probe(client, { signal, timeout: this.#pace.timeout });
    if (health.kind !== "healthy" || isInternal) return health;
    try {
      await this.#fleet.identify(name, health.identity);
      return health;
    } catch (error) {
      if (!(error instanceof OtherCluster)) throw error;
      return { kind: "away", reason: reasons.otherCluster, message: error.message };
    }
  }
}

/**
 * The server lives on its own cluster: once that has answered it is not asked again and again, for while it does not, nobody could write so, and the lease is
 * lost.
 */
function lasting({ isInternal }: Facts, { health }: Record): Health | undefined {
  return isInternal && health?.kind === "healthy" ? health : undefined;
}

/** Another try would find the same. */
function isCertain(health: Health): boolean {
  return health.kind === "away" && health.reason === reasons.otherCluster;
}
