import { expect } from "chai";
import { type Random, seededRandom } from "../testing/index.ts";
import { aWidget, Feed, uidOf, Widget } from "./fixtures.ts";
import type { CacheChange } from "./listeners.ts";
import { Store } from "./store.ts";

const colors = ["red", "green", "blue", undefined] as const;
const tiers = ["front", "back", "data"] as const;

/** A server of widgets, with what a store fed by it must show. */
class World {
  readonly random: Random;
  readonly truth = new Map<string, Widget>();
  readonly store = new Store(Widget, { freeze: true, managedFields: "cold" });
  readonly feed = new Feed(this.store);
  /** What a listener knows that has only ever been told changes. */
  readonly mirror = new Map<string, Widget | undefined>();
  #revision = 100;
  readonly #complaints: unknown[] = [];

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.store.keepHistory({ events: 20, bytes: 4000 });
    this.store.subscribe((change) => {
      try {
        this.#follow(change);
      } catch (error) {
        this.#complaints.push(error);
      }
    });
  }

  #follow(change: CacheChange<Widget>): void {
    const { key, type } = change;
    const before = this.mirror.get(key);
    expect(change.previousResourceVersion).to.equal(before?.metadata.resourceVersion);
    expect(before !== undefined).to.equal(type !== "ADDED");
    if (type === "MODIFIED") expect(change.previous()).to.deep.equal(before);
    if (type === "DELETED") expect(change.previous()?.metadata.uid).to.equal(before?.metadata.uid);
    if (type === "DELETED") this.mirror.delete(key);
    else this.mirror.set(key, change.current());
  }

  /** One random thing happens. */
  step(): void {
    const dice = this.random.next();
    if (dice < 0.03) this.relist();
    else if (dice < 0.05) this.feed.broken(this.#missed());
    else if (dice < 0.2) this.remove((type, object) => this.feed.change(type, object));
    else this.put((type, object) => this.feed.change(type, object));
    if (dice >= 0.03 && dice < 0.05) this.relist();
  }

  /** Things happen unseen, then a list tells; some happen while it is told. */
  relist(): void {
    this.feed.broken(this.#missed());
    for (let n = this.random.below(4); n > 0; n--) {
      if (this.random.chance(0.3)) this.remove((type, object) => this.feed.change(type, object));
      else this.put((_, object) => this.#isLatest(object) && this.feed.item(object));
    }
    this.store.end(String(this.#revision));
  }

  /** A list has no older states than those it told. */
  #isLatest(widget: Widget): boolean {
    const { namespace, name } = widget.metadata;
    return this.truth.get(`${namespace}/${name}`) === widget;
  }

  #missed(): readonly Widget[] {
    for (let n = this.random.below(6); n > 0; n--) {
      if (this.random.chance(0.4)) this.remove(() => undefined);
      else this.put(() => undefined);
    }
    return [...this.truth.values()];
  }

  put(tell: (type: "ADDED" | "MODIFIED", object: Widget) => unknown): void {
    const { random } = this;
    const name = `w-${random.below(60)}`;
    const namespace = `ns-${random.below(4)}`;
    const key = `${namespace}/${name}`;
    const known = this.truth.get(key);
    const color = random.pick(colors);
    const widget = aWidget({
      name,
      namespace,
      resourceVersion: String(++this.#revision),
      uid: known?.metadata.uid ?? uidOf(`${key}/${this.#revision}`),
      created: known?.metadata.creationTimestamp ?? new Date(random.below(2 ** 31)).toISOString(),
      labels: { tier: random.pick(tiers), [`l${random.below(3)}`]: "x" },
      spec: {
        size: random.below(10),
        ...(color === undefined ? {} : { color }),
        note: `Nöte ${random.below(100)} 😀`.repeat(random.below(random.chance(0.05) ? 200 : 4)),
      },
      managedFields: random.chance(0.5)
        ? [{ manager: "m".repeat(random.chance(0.5) ? 400 : 1), n: random.below(9) }]
        : [],
    });
    this.truth.set(key, widget);
    tell(known === undefined ? "ADDED" : "MODIFIED", widget);
    if (random.chance(0.1)) tell("MODIFIED", widget);
    if (known !== undefined && random.chance(0.1)) tell("MODIFIED", known);
  }

  remove(tell: (type: "DELETED", object: Widget) => void): void {
    const keys = [...this.truth.keys()];
    const key = keys[this.random.below(keys.length)] ?? "";
    const widget = this.truth.get(key);
    if (widget === undefined) return;
    this.truth.delete(key);
    const metadata = { ...widget.metadata, resourceVersion: String(++this.#revision) };
    tell("DELETED", { ...widget, metadata });
  }

  check(): void {
    expect(this.#complaints).to.deep.equal([]);
    const shown = (map: ReadonlyMap<string, Widget | undefined>): unknown =>
      Object.fromEntries([...map].sort());
    expect(new Set(this.store.keys())).to.deep.equal(new Set(this.truth.keys()));
    const held = new Map([...this.store.keys()].map((key) => [key, this.store.get(key)]));
    const bare = new Map([...this.truth].map(([key, each]) => [key, withoutManagedFields(each)]));
    expect(shown(held)).to.deep.equal(shown(bare));
    expect(shown(this.mirror)).to.deep.equal(shown(bare));
    for (const [key, widget] of this.truth) {
      const { resourceVersion, uid } = widget.metadata;
      expect(this.store.resourceVersionOf(key)).to.equal(resourceVersion);
      expect(this.store.uidOf(key)).to.equal(uid);
      expect(String(this.store.rawWithManagedFields(key))).to.equal(JSON.stringify(widget));
      const member = `"managedFields":${JSON.stringify(widget.metadata.managedFields)}`;
      expect(String(this.store.managedFields(key))).to.equal(member);
    }
    expect(this.store.resourceVersion).to.equal(String(this.#revision));
    this.#checkQueries();
    this.#checkHistory();
  }

  #checkQueries(): void {
    const all = [...this.truth.entries()];
    const keysOf = (passes: (widget: Widget) => boolean): readonly string[] =>
      all.flatMap(([key, widget]) => (passes(widget) ? [key] : [])).sort();
    const found = (filter: Parameters<typeof this.store.query>[0]["filter"]): readonly string[] =>
      this.store.query({ filter }).keys;
    expect(this.store.query({}).keys).to.deep.equal(keysOf(() => true));
    for (const color of ["red", "green", "none"]) {
      const expected = keysOf(({ spec }) => spec?.color === color);
      expect(found({ column: "spec.color", op: "=", value: color })).to.deep.equal(expected);
      expect(this.store.keysByIndex("color", color).toSorted()).to.deep.equal(expected);
    }
    expect(found({ labels: "tier in (front,data),!l1" })).to.deep.equal(
      keysOf(({ metadata: { labels } }) => labels?.tier !== "back" && labels?.l1 === undefined),
    );
    expect(found({ column: "spec.size", op: ">=", value: 7 })).to.deep.equal(
      keysOf(({ spec }) => (spec?.size ?? 0) >= 7),
    );
    expect(found({ column: "note", op: "contains", value: "E 7" })).to.deep.equal(
      keysOf(({ spec }) => (spec?.note ?? "").toLowerCase().includes("e 7")),
    );
    const namespaces = Map.groupBy(all, ([, { metadata }]) => metadata.namespace ?? "");
    expect(Object.fromEntries(this.store.counts("metadata.namespace"))).to.deep.equal(
      Object.fromEntries([...namespaces].map(([name, widgets]) => [name, widgets.length])),
    );
  }

  /** Whoever comes back to the cache with what it answers ends where it is. */
  #checkHistory(): void {
    const from = String(this.#revision - this.random.below(8));
    const changes = this.store.changesSince(from);
    for (const { key, type, resourceVersion, object } of changes ?? []) {
      expect(Number(resourceVersion)).to.be.greaterThan(Number(from));
      const last = changes?.findLast((change) => change.key === key);
      if (last?.resourceVersion !== resourceVersion) continue;
      expect(this.store.has(key)).to.equal(type !== "DELETED");
      if (type !== "DELETED") expect(object).to.deep.equal(this.store.raw(key));
    }
  }
}

function withoutManagedFields(widget: Widget): Widget {
  const { managedFields: _, ...metadata } = widget.metadata;
  return { ...widget, metadata };
}

describe("a store and a naive map, fed with the same random events", () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, Date.now() % 1_000_000]) {
    it(`hold the same (seed ${seed})`, async () => {
      const world = new World(seed);
      await world.store.addColumns([
        { name: "spec.color" },
        { name: "spec.size", type: "number" },
        { name: "note", type: "text", from: ({ spec }) => spec?.note },
      ]);
      await world.store.addIndex("color", ({ spec }) => (spec?.color ? [spec.color] : []));
      world.relist();

      for (let step = 0; step < 150; step++) {
        world.step();
        if (step % 15 === 0) world.check();
        if (step % 50 === 0) await new Promise(setImmediate);
      }

      world.check();
      world.store.dispose();
    });
  }
});
