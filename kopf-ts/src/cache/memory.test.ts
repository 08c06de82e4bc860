import { expect } from "chai";
import { aWidget, scanned, uidOf, Widget } from "./fixtures.ts";
import { Store } from "./store.ts";

/** Collects until nothing more goes. */
async function collected(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate);
    globalThis.gc?.();
  }
  return process.memoryUsage();
}

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
    expect(outside).to.be.below(150);
  });

  it("stays in bounds while every object changes again and again", async () => {
    const store = new Store(Widget);
    store.begin();
    for (const object of widgets(500, 1)) store.item(object);
    store.end("1");

    let most = 0;
    for (let round = 1; round <= 10; round++) {
      for (const object of widgets(500, round * 10_000)) store.change("MODIFIED", object);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
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

  it("is given back when the cache is disposed", async () => {
    const objects = widgets(count, 1);
    await fillAndDispose(objects);
    const before = await collected();

    const store = await fillAndDispose(objects);

    const after = await collected();
    expect(after.arrayBuffers - before.arrayBuffers).to.be.below(1e6);
    expect(after.heapUsed - before.heapUsed).to.be.below(1e6);
    expect(store.size).to.equal(0);
  });
});

/** Also called before measuring: code that runs for the first time takes memory of its own. */
async function fillAndDispose(objects: ReturnType<typeof widgets>): Promise<Store> {
  const store = new Store(Widget, { managedFields: "cold" });
  await store.addColumns([{ name: "spec.note", type: "text" }]);
  await store.addIndex("app", ({ metadata }) => [metadata.labels?.app ?? ""]);
  store.begin();
  for (const object of objects) store.item(object);
  store.end("1");
  store.query({ sort: [{ column: "spec.note" }], limit: 1 });
  store.list({ namespace: "team-1" });
  store.dispose();
  return store;
}
