import { expect } from "chai";
import { silentLogger } from "../../base/index.ts";
import { eventually, fakeClock, longestTurn, seededRandom } from "../../testing/index.ts";
import { Background } from "../background.ts";
import { aWidget, Feed, spin, Widget } from "../fixtures.ts";
import { Store } from "../store.ts";
import {
  filled,
  naive,
  randomFilter,
  randomQuery,
  randomWidget,
  replaceOne,
} from "./naive.test.support.ts";

describe("query", () => {
  for (const { size, rounds } of [
    { size: 300, rounds: 60 },
    { size: 1200, rounds: 16 },
  ]) {
    for (const seed of [1, 2, Date.now() % 1_000_000]) {
      it(`answers as filtering and sorting ${size} objects does (seed ${seed})`, async () => {
        const random = seededRandom(seed);
        const { store, feed, widgets } = await filled(size);

        for (let round = 0; round < rounds; round++) {
          replaceOne(random, feed, widgets, round + 2);
          const query = randomQuery(random, size);
          const { keys, total } = store.query(query);
          expect({ keys, total }).to.deep.equal(naive(widgets, query));
          if (round % 4 === 0) await new Promise(setImmediate);
        }
      });
    }
  }

  it("keeps what filters found, in step with what changes", async () => {
    const random = seededRandom(5);
    const { store, feed, widgets } = await filled(1200);
    const queries = Array.from({ length: 30 }, () => ({ filter: randomFilter(random) }));

    for (let round = 0; round < 12; round++) {
      for (const query of queries) {
        const { keys, total } = store.query({ ...query, limit: 2000 });
        expect({ keys, total }).to.deep.equal(naive(widgets, { ...query, limit: 2000 }));
      }
      const changes = random.pick([0, 1, 30, 200]);
      for (let n = 0; n < changes; n++) replaceOne(random, feed, widgets, round + 2);
      if (!random.chance(0.3)) continue;
      const more = randomWidget(random, widgets.length, 1);
      widgets.push(more);
      feed.change("ADDED", more);
    }

    expect(store.stats.columns).to.be.greaterThan(0);
  });

  it("tells where the cache stood", async () => {
    const { store, feed } = await filled(3);
    feed.change("ADDED", aWidget({ name: "new", resourceVersion: "77" }));

    expect(store.query({ limit: 0 })).to.deep.equal({ keys: [], total: 4, resourceVersion: "77" });
  });

  it("leaves out what went, in sort orders and searches that are kept", async () => {
    const { store, feed, widgets } = await filled(1200);
    const contains = { column: "metadata.name", op: "contains", value: "w-" } as const;
    store.query({ limit: 1 });
    store.query({ filter: contains });
    while (store.stats.orders === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);

    for (const widget of widgets.splice(0, 40)) feed.change("DELETED", widget);

    const { keys, total } = naive(widgets, {});
    expect(store.query({})).to.deep.include({ keys, total });
    expect(store.query({ filter: contains })).to.deep.include({ keys, total });
  });

  it("moves what changed, in sort orders that are kept", async () => {
    const background = new Background(silentLogger);
    const { store, feed, widgets } = await filled(1200, background);
    const queries = ["spec.color", "spec.size", "metadata.creationTimestamp"].map((column) => ({
      sort: [{ column }],
      limit: Number.POSITIVE_INFINITY,
    }));
    for (const query of queries) store.query(query);
    await eventually(() => background.size === 0);
    const random = seededRandom(4);

    for (let index = 0; index < 60; index++) {
      const old = widgets[index];
      const next = randomWidget(random, index, 2);
      if (old === undefined) continue;
      const changed = { ...next, metadata: { ...next.metadata, name: old.metadata.name } };
      widgets[index] = changed;
      feed.change("MODIFIED", changed);
    }

    for (const query of queries) {
      expect(store.query(query).keys).to.deep.equal(naive(widgets, query).keys);
    }
  });

  it("keeps few rows of many in their order, in step with what changes", async () => {
    const random = seededRandom(6);
    const { store, feed, widgets } = await filled(1200);
    const filter = { column: "metadata.name", op: "contains", value: "100" } as const;
    const columns = [
      ...(["id", "spec.color", "spec.size"] as const),
      ...(["metadata.labels[app]", "metadata.labels[x]"] as const),
    ] as const;
    const few = [100, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1100] as const;

    for (let round = 0; round < 200; round++) {
      const query = { filter, sort: [{ column: random.pick(columns) }] };
      const { keys, total } = naive(widgets, query);
      expect(store.query(query)).to.deep.include({ keys, total });
      expect(store.query({ ...query, offset: 3, limit: 4 }).keys).to.deep.equal(keys.slice(3, 7));
      const index = random.pick([...few, 5]);
      const next = randomWidget(random, index, round + 2);
      const old = widgets[index] ?? next;
      const changed = { ...next, metadata: { ...next.metadata, name: old.metadata.name } };
      if (random.chance(0.4)) feed.change("DELETED", old);
      feed.change("MODIFIED", changed);
      widgets[index] = changed;
    }

    expect(store.stats.orders).to.equal(0);
  });

  it("finds what came, in sort orders and searches that are kept", async () => {
    const { store, feed, widgets } = await filled(1200);
    const contains = { column: "metadata.name", op: "contains", value: "w-" } as const;
    const search = (): number => store.query({ filter: contains, limit: 0 }).total;
    const add = (index: number): void => {
      const widget = randomWidget(seededRandom(index), index, 1);
      feed.change("ADDED", widget);
      widgets.push(widget);
    };
    store.query({ limit: 1 });
    search();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);

    for (let index = 5000; index < 5040; index++) add(index);
    const added = search();
    for (const widget of widgets.splice(0, 20)) feed.change("DELETED", widget);
    const deleted = search();
    for (let index = 6000; index < 6020; index++) add(index); // in rows of those that went

    expect([added, deleted, search()]).to.deep.equal([1240, 1220, 1240]);
    expect(store.query({}).keys).to.deep.equal(naive(widgets, {}).keys);
  });

  it("drops what searches need when nobody has asked anything for five minutes", async () => {
    const clock = fakeClock();
    const store = new Store(Widget, { clock });
    await store.addColumns([{ name: "spec.note", type: "text" }]);
    const widgets = Array.from({ length: 500 }, (_, n) =>
      aWidget({ name: `w-${n}`, spec: { note: "x".repeat(100) } }),
    );
    new Feed(store).list(widgets, "1");
    const sizes = [store.stats.columns];
    const after = async (minutes: number): Promise<void> => {
      await clock.advance(minutes * 60_000);
      store.bookmark("2");
      sizes.push(store.stats.columns);
    };

    store.query({ filter: { column: "spec.note", op: "contains", value: "xx" } });
    await after(0);
    await after(4);
    store.query({ limit: 0 });
    await after(4);
    await after(2);

    const [before = 0, searched = 0] = sizes;
    expect(searched).to.be.greaterThan(before + 50_000);
    expect(sizes).to.deep.equal([before, searched, searched, searched, before]);
  });

  it("builds a sort order once, however many ask for it before it is there", async () => {
    const background = new Background(silentLogger);
    const { store, feed, widgets } = await filled(6000, background);
    const sort = [{ column: "spec.color", descending: true }];
    const query = { sort, offset: 2000, limit: 100 };
    store.query(query);
    store.query(query);
    const jobs = background.size;

    // Slower than other work, which gets its turns in between.
    const other = background.run(
      (function* () {
        for (let n = 0; n < 20; n++) yield spin(2);
      })(),
    );
    replaceOne(seededRandom(1), feed, widgets, 2);
    await other.done;
    await eventually(() => background.size === 0);

    expect(jobs).to.equal(1);
    expect(store.query({ sort }).keys).to.deep.equal(naive(widgets, { sort }).keys);
  });

  it("refuses columns that are not there", async () => {
    const { store } = await filled(3);
    const column = "spec.other";

    expect(() => store.query({ filter: { column, op: "exists" } })).to.throw(
      "no column spec.other",
    );
    expect(() => store.query({ sort: [{ column }] })).to.throw("no column spec.other");
    expect(() => store.counts(column)).to.throw("no column spec.other");
    expect(() => store.counts("spec.size")).to.throw("no keyword column");
  });

  it("refuses a column while it is being filled", async () => {
    const { store } = await filled(500);
    const adding = store.addColumns([{ name: "kind" }]);

    expect(() => store.query({ filter: { column: "kind", op: "exists" } })).to.throw("filled");
    await adding;
    expect(store.query({ filter: { column: "kind", op: "=", value: "Widget" } }).total).to.equal(
      500,
    );
    expect(store.counts("kind")).to.deep.equal(new Map([["Widget", 500]]));
  });

  async function withColumns() {
    const clock = fakeClock();
    const store = new Store(Widget, { clock });
    const columns = Array.from({ length: 20 }, (_, n) => ({ name: `spec.c${n}` }));
    await store.addColumns(columns);
    const random = seededRandom(1);
    new Feed(store).list(
      Array.from({ length: 1200 }, (_, index) => randomWidget(random, index, 1)),
      "1",
    );
    return { clock, store, columns };
  }

  it("keeps the sort orders that were used last", async () => {
    const { store, columns } = await withColumns();
    const use = (...names: readonly string[]): void => {
      for (const column of names) store.query({ sort: [{ column }], limit: 1 });
    };

    use(...columns.slice(0, 16).map(({ name }) => name), "spec.c0", "spec.c16");
    store.releaseColumns(["spec.c1"]);
    const without1 = store.stats.orders;
    store.releaseColumns(["spec.c0"]);

    expect(without1).to.equal(16);
    expect(store.stats.orders).to.equal(15);
  });

  it("keeps no more sort orders than it may, and none that nobody uses", async () => {
    const { clock, store, columns } = await withColumns();

    for (const { name } of columns) store.query({ sort: [{ column: name }], limit: 1 });
    const most = store.stats.orders;
    await clock.advance(4 * 60_000);
    store.query({ sort: [{ column: "spec.c19" }], limit: 1 });
    await clock.advance(2 * 60_000);
    store.bookmark("2");
    const used = store.stats.orders;
    store.releaseColumns(["spec.c19"]);

    expect(most).to.equal(16);
    expect(used).to.equal(1);
    expect(store.stats.orders).to.equal(0);
  });

  it("never holds up the event loop, however large the cache", async function () {
    this.timeout(10_000);
    const { store } = await filled(20_000);
    const sort = [{ column: "spec.color" }, { column: "metadata.creationTimestamp" }];

    const longest = await longestTurn(async () => {
      await store.addColumns([{ name: "metadata.labels.app" }]);
      for (let round = 0; round < 30; round++) {
        store.query({ sort, offset: 10_000, limit: 100 });
        await new Promise(setImmediate);
      }
    });

    expect(longest).to.be.below(50);
    expect(store.stats.orders).to.equal(1);
  });
});
