import {
  Background,
  type Clock,
  type Informers,
  type Logger,
  type Metrics,
  messageOf,
} from "kopf-ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { DigestReader } from "./digest.ts";
import { Edges } from "./edges.ts";
import { membersOf } from "./few.ts";
import type { Inbound, Inventory, ObjectId, Standing, TypeInventory } from "./inventory.ts";
import { InventoryMetrics } from "./inventory-metrics.ts";
import { type Group, nameIn } from "./kept.ts";
import { Shares } from "./shares.ts";

/** What an inventory is made with. */
export interface InventoryParts {
  readonly informers: Informers;
  readonly types: Types;
  /** What is waited for before each type; nothing unless told. */
  readonly calm?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  /** Its name in metrics; empty unless told, for the server's own. */
  readonly cluster?: string | undefined;
}

/** From one look at how much memory it takes to the next; milliseconds. */
const look = 15_000;

/**
 * The inventory of one cluster (steve: pkg/clustercache, pkg/summarycache). It is filled in the background, two types at a time, and follows types that come and go. Guarantees:
 * nobody waits for it; a type that cannot be listed is missing or incomplete, and harms no other; no bytes of objects are kept.
 */
export class LiveInventory implements Inventory {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #metrics: InventoryMetrics;
  readonly #background: Background;
  readonly #edges: Edges;
  readonly #shares: Shares;
  readonly #listeners = new Set<{ readonly tell: (typeIds: ReadonlySet<string>) => void }>();
  #changed = new Set<string>();
  #revision = 0;

  constructor({ informers, types, calm, clock, log, metrics, cluster = "" }: InventoryParts) {
    this.#clock = clock;
    this.#metrics = new InventoryMetrics(metrics, cluster);
    this.#log = log;
    this.#background = new Background(log);
    this.#edges = new Edges((typeId) => scopeOf(types.find(typeId)));
    this.#shares = new Shares({
      ...{ informers, types, clock, log, background: this.#background, edges: this.#edges },
      ...{ calm, digests: new DigestReader() },
      onTally: (typeId) => this.#note(typeId),
      onStanding: () => void this.#revision++,
    });
  }

  /** Fills it, and follows the cluster until the signal aborts. */
  start(signal: AbortSignal): void {
    this.#shares.start(signal);
    void this.#weigh(signal);
    signal.addEventListener("abort", () => this.#background.clear(), { once: true });
  }

  async #weigh(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#metrics.tell(this.#shares.all());
      await this.#clock.sleep(look, signal).catch(() => undefined);
    }
    this.#metrics.forget();
  }

  of(typeId: string): TypeInventory | undefined {
    return this.#shares.of(typeId);
  }

  get revision(): number {
    return this.#revision;
  }

  all(): Iterable<TypeInventory> {
    return this.#shares.all();
  }

  standingOf(typeId: string, namespace: string, name: string): Standing | undefined {
    return this.#shares.of(typeId)?.standingOf(namespace, name);
  }

  inbound(typeId: string, namespace: string, name: string): readonly Inbound[] {
    const found: Inbound[] = [];
    for (const { source, rel, towards } of this.#edges.at(typeId, namespace, name)) {
      const { of, namespace: home, standing, members } = source;
      if (of.gone) continue;
      const other = { typeId: of.type.id, namespace: home, rel, towards, standing };
      for (const key of membersOf(members)) found.push({ ...other, name: nameIn(key) });
    }
    return found.length < 2 ? found : found.sort(byType);
  }

  *descendants(
    owner: ObjectId,
    passes: (object: ObjectId) => boolean = () => true,
  ): Generator<ObjectId, void> {
    const seen = new Set<Group>();
    const waiting = [owner];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const group of this.#ownedBy(next)) {
        if (seen.has(group)) continue;
        seen.add(group);
        for (const key of membersOf(group.members)) {
          const object = {
            typeId: group.of.type.id,
            namespace: group.namespace,
            name: nameIn(key),
          };
          if (!passes(object)) continue;
          yield object;
          waiting.push(object);
        }
      }
    }
  }

  *#ownedBy({ typeId, namespace, name }: ObjectId): Generator<Group, void> {
    for (const { source, rel, towards } of this.#edges.at(typeId, namespace, name)) {
      if (rel === "owner" && towards && !source.of.gone) yield source;
    }
  }

  onChange(listener: (typeIds: ReadonlySet<string>) => void): Disposable {
    const entry = { tell: listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  /** Told with the next turn of the event loop. */
  #note(typeId: string): void {
    if (this.#changed.size === 0) this.#background.run(this.#tell());
    this.#changed.add(typeId);
  }

  *#tell(): Generator<void, void, void> {
    const changed = this.#changed;
    this.#changed = new Set();
    for (const { tell } of [...this.#listeners]) {
      try {
        tell(changed);
      } catch (error) {
        this.#log.error("a listener of the inventory failed", { error: messageOf(error) });
      }
      yield;
    }
  }
}

function scopeOf(type: ResourceType | undefined): boolean | undefined {
  return type && type.kind.scope === "Namespaced";
}

/** By type, then by id. */
function byType(a: Inbound, b: Inbound): number {
  return (
    order(a.typeId, b.typeId) ||
    order(a.namespace, b.namespace) ||
    order(a.name, b.name) ||
    order(a.rel, b.rel)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
