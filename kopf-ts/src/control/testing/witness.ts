/** Remembers what a controller and the listener of a cache have been told. */

import { systemClock, TemporaryError } from "../../base/index.ts";
import type { Cache, CacheChange } from "../../cache/index.ts";
import { keyOf } from "../../kube/index.ts";
import type { Random } from "../../testing/index.ts";
import { type Context, type Controller, done, type Result } from "../index.ts";
import { Thing } from "./population.ts";

/** Of this many objects one gets a status, so that writes meet the faults as well. */
const writesTo = 8;

type Tally = Record<"reconciled" | "gone" | "failed" | "written", number>;

/** A controller that writes down what it was given, and sometimes fails or takes its time. */
export class Witness {
  /** The resourceVersion of the last state that was reconciled, by key; `gone` after a deletion. */
  readonly last: Map<string, string> = new Map<string, string>();
  /** Keys that were in work twice at once. */
  readonly overlaps: string[] = [];
  /** Keys that became another object without a word that the first was gone. */
  readonly missed: string[] = [];
  readonly counts: Tally = { reconciled: 0, gone: 0, failed: 0, written: 0 };
  readonly controller: Controller<Thing>;
  readonly #random: Random;
  readonly #inWork = new Set<string>();
  readonly #uids = new Map<string, string | undefined>();

  constructor(random: Random) {
    this.#random = random;
    this.controller = {
      name: "witness",
      watches: Thing,
      concurrency: 10,
      backoff: { min: 5, max: 200 },
      reconcile: (thing, context) => this.#alone(keyOf(thing), () => this.#see(thing, context)),
      gone: (key) => this.#alone(key, () => this.#miss(key)),
    };
  }

  async #see(thing: Thing, { client, key }: Context): Promise<Result> {
    const { uid } = thing.metadata;
    if (this.#uids.has(key) && this.#uids.get(key) !== uid) this.missed.push(key);
    await this.#dawdle();
    const { value } = thing.spec;
    if (value % writesTo === 0 && thing.status?.seen !== value) {
      await client.patch(thing, { merge: { status: { seen: value } } }, { subresource: "status" });
      this.counts.written++;
    }
    this.last.set(key, thing.metadata.resourceVersion ?? "");
    this.#uids.set(key, uid);
    this.counts.reconciled++;
    return done;
  }

  async #miss(key: string): Promise<Result> {
    await this.#dawdle();
    this.last.set(key, "gone");
    this.#uids.delete(key);
    this.counts.gone++;
    return done;
  }

  /** Some runs take a while, and some fail. */
  async #dawdle(): Promise<void> {
    if (this.#random.chance(0.1)) await systemClock.sleep(this.#random.below(5));
    if (!this.#random.chance(0.02)) return;
    this.counts.failed++;
    if (this.#random.chance(0.5)) throw new Error("a failure by chance");
    throw new TemporaryError("a failure by chance", { delay: this.#random.below(50) });
  }

  async #alone(key: string, run: () => Promise<Result>): Promise<Result> {
    if (this.#inWork.has(key)) this.overlaps.push(key);
    this.#inWork.add(key);
    try {
      return await run();
    } finally {
      this.#inWork.delete(key);
    }
  }
}

/** What a listener knows that has only ever been told changes. */
export class Mirror implements Disposable {
  readonly resourceVersions: Map<string, string> = new Map<string, string>();
  /** Changes that do not follow from those before. */
  readonly contradictions: string[] = [];
  readonly #subscription: Disposable;

  constructor(cache: Cache<Thing>) {
    this.#subscription = cache.subscribe((change) => this.#follow(change));
  }

  #follow({ type, key, resourceVersion, previousResourceVersion }: CacheChange<Thing>): void {
    const before = this.resourceVersions.get(key);
    if (before !== previousResourceVersion || (before === undefined) !== (type === "ADDED")) {
      this.contradictions.push(`${type} ${key}: ${previousResourceVersion}, known was ${before}`);
    }
    if (type === "DELETED") this.resourceVersions.delete(key);
    else this.resourceVersions.set(key, resourceVersion);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
