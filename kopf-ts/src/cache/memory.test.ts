import { expect } from "chai";
import { silentLogger } from "../base/index.ts";
import { collected, eventually, leftBehind } from "../testing/index.ts";
import { Background } from "./background.ts";
import { aWidget, scanned, uidOf, Widget } from "./fixtures.ts";
import { Store } from "./store.ts";

function widgets(count: number, resourceVersion: number): readonly ReturnType<typeof scanned>[] {
  return Array.from({ length: count }, (_, index) =>
    scanned(
      aWidget({
        name: `deployment-${index % 100}-${uidOf(String(index)).slice(0, 8)}-${index}`,
        namespace: `team-${index % 50}`,
        resourceVersion: String(resourceVersion + index),
        labels: { app: `app-${index % 100}`, tier: "backend" },
        spec: { note: "x".repeat(4000) },
        managedFields: [{ fields: "y".repeat(2000) }],
      }),
    ),
  );
}

describe("the memory of a cache", function () {
  this.timeout(10_000);
  const count = 2000;

  it("is its bytes, and little beside them", async () => {
    const objects = widgets(count, 1);
    await fillAndDispose(objects);
    const before = await collected();
    const store = new Store(Widget);
    store.begin();
    for (const object of objects) store.item(object);
    store.end("1");

    const after = await collected();

    const { bytes, allocated } = store.stats;
    const heap = (after.heapUsed - before.heapUsed) / count;
    const outside = (after.arrayBuffers - before.arrayBuffers - allocated) / count;
    expect(bytes / count).to.be.within(4000, 4500); // without managedFields
    expect(allocated / bytes).to.be.below(1.35);
    expect(heap).to.be.below(250);
    expect(outside).to.be.below(85);
  });

  it("stays in bounds while objects change again and again, fewer each time", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { background });
    store.begin();
    for (const object of widgets(500, 1)) store.item(object);
    store.end("1");

    let most = 0;
    for (let round = 1; round <= 10; round++) {
      for (const [index, object] of widgets(500, round * 10_000).entries()) {
        if (index % 10 >= round - 1) store.change("MODIFIED", object);
      }
      await eventually(() => background.size === 0);
      most = Math.max(most, store.stats.allocated);
    }

    const { bytes, allocated } = store.stats;
    expect(bytes / 500).to.be.within(4000, 4500);
    expect(allocated).to.be.below(2.5 * bytes);
    expect(most).to.be.below(4 * bytes);
  });

  it("is little for a cache of few objects", async () => {
    const before = await collected();
    const stores = Array.from({ length: 200 }, () => {
      const store = new Store(Widget);
      store.begin();
      for (const name of ["a", "b", "c"]) store.item(scanned(aWidget({ name })));
      store.end("1");
      return store;
    });

    const after = await collected();

    const each = (after.heapUsed + after.external - before.heapUsed - before.external) / 200;
    expect(stores.every(({ size }) => size === 3)).to.equal(true);
    expect(each).to.be.below(25_000); // a slab of 4 KiB, the rest is the cache itself
  });

  it("has no object and no listener any more when the cache is disposed, whoever holds that", async () => {
    const store = new Store(Widget);
    await store.addIndex("it", () => ["it"]);
    const [parsed, listening] = (() => {
      store.begin();
      for (const object of widgets(10, 1)) store.item(object);
      store.end("1");
      const [first = {}] = store.list();
      const listener = (): void => undefined;
      store.subscribe(listener);
      return [new WeakRef(first), new WeakRef(listener)];
    })();

    store.dispose();

    await eventually(async () => {
      await collected();
      return parsed?.deref() === undefined && listening?.deref() === undefined;
    });
    expect(() => store.keysByIndex("it", "it")).to.throw("no index it");
  });

  it("has nothing of those who gave up waiting for the first list", async () => {
    const store = new Store(Widget);

    expect(await leftBehind((signal) => store.whenSynced(signal))).to.be.lessThan(200);
  });

  it("is given back when the cache is disposed", async () => {
    const objects = widgets(count, 1);
    const before = await collected();

    const store = await fillAndDispose(objects);

    const after = await collected();
    expect(after.arrayBuffers - before.arrayBuffers).to.be.below(1e6);
    expect(after.heapUsed - before.heapUsed).to.be.below(1e6);
    expect(store.size).to.equal(0);
  });
});

async function fillAndDispose(objects: ReturnType<typeof widgets>): Promise<Store> {
  const store = new Store(Widget, { managedFields: "cold" });
  await store.addColumns([{ name: "spec.note", type: "text" }, { name: "metadata.uid" }]);
  await store.addIndex("app", ({ metadata }) => [metadata.labels?.app ?? ""]);
  store.begin();
  for (const object of objects) store.item(object);
  store.end("1");
  for (const column of ["spec.note", "metadata.uid"]) store.query({ sort: [{ column }], limit: 1 });
  store.list({ namespace: "team-1" });
  store.dispose();
  return store;
}

/** What a cache may be busy with when it goes. */
const busy: Readonly<Record<string, (store: Store<Widget>) => unknown>> = {
  "sorts for the first time": (store) => store.query({ sort: [{ column: "spec.note" }] }),
  "keeps a sort order": async (store) => {
    const sorted = (): unknown => store.query({ sort: [{ column: "spec.note" }], limit: 1 });
    sorted();
    await store.addColumns([{ name: "spec.owner" }]); // in the background too, and behind
    sorted();
  },
  "answers searches and selectors": (store) => {
    store.query({ filter: { column: "spec.note", op: "contains", value: "xx" } });
    store.query({ filter: { labels: "tier=backend" } });
  },
  "fills a column": (store) => void store.addColumns([{ name: "spec.color" }]),
  "fills an index": (store) => void store.addIndex("note", ({ spec }) => [spec?.note ?? ""]),
  "tells a replay": (store) => store.subscribe(() => undefined, { replay: true }),
  sweeps: (store) => {
    store.begin();
    store.end("2");
  },
  "is listed": (store) => {
    store.begin();
    for (const object of widgets(10, 5000)) store.item(object);
  },
  "evacuates slabs": (store) => {
    for (const object of widgets(1000, 5000)) store.change("MODIFIED", object);
  },
  "keeps history": (store) => {
    store.keepHistory();
    for (const object of widgets(100, 5000)) store.change("MODIFIED", object);
  },
  "is waited for": (store) => {
    const { signal } = longLived;
    void store.waitFor("9999", { timeout: 60_000, signal });
    void store.whenSynced(signal);
  },
};

/** Outlives every cache. */
const longLived = new AbortController();

describe("a disposed cache that nobody holds", function () {
  this.timeout(10_000);
  let objects: ReturnType<typeof widgets>;
  before(() => {
    objects = widgets(1200, 1);
  });

  for (const [name, begin] of Object.entries(busy)) {
    it(`is collected although it ${name} when it goes`, async () => {
      const background = new Background(silentLogger);

      const store = await disposedStore(background, objects, begin);

      expect(background.size).to.equal(0);
      await eventually(async () => {
        await collected();
        return store.deref() === undefined;
      });
    });
  }
});

/** In a function of its own, so that no frame holds the store. */
async function disposedStore(
  background: Background,
  objects: ReturnType<typeof widgets>,
  begin: (store: Store<Widget>) => unknown,
): Promise<WeakRef<Store<Widget>>> {
  const store = new Store(Widget, { background, managedFields: "cold" });
  await store.addColumns([{ name: "spec.note", type: "text" }]);
  store.begin();
  for (const object of objects) store.item(object);
  store.end("1");
  await begin(store);
  store.dispose();
  return new WeakRef(store);
}
