import { expect } from "chai";
import { type Random, seededRandom } from "../testing/index.ts";
import { aWidget, Feed, Widget } from "./fixtures.ts";
import { Store } from "./store.ts";

const colors = ["red", "green", "blue"] as const;

function widgets(count: number, resourceVersion = "1"): readonly Widget[] {
  return Array.from({ length: count }, (_, n) =>
    aWidget({ name: `w-${n}`, resourceVersion, spec: { color: colors[n % 3] ?? "" } }),
  );
}

async function aStore(
  objects: readonly Widget[],
): Promise<{ store: Store<Widget>; feed: Feed; told: string[] }> {
  const store = new Store(Widget, { managedFields: "cold" });
  const feed = new Feed(store);
  const told: string[] = [];
  await store.addColumns([{ name: "spec.color" }]);
  feed.list(objects, "1");
  store.subscribe(({ type, key }) => told.push(`${type} ${key}`));
  return { store, feed, told };
}

describe("a column that many ask for at once", () => {
  it("is filled once, and goes with the last of them", async () => {
    const { store } = await aStore(widgets(2000));
    let calls = 0;
    const from = ({ spec }: Widget): unknown => {
      calls++;
      return spec?.color;
    };

    await Promise.all([1, 2, 3].map(() => store.addColumns([{ name: "own", from }])));

    expect(calls).to.equal(2000);
    expect(store.counts("own").get("red")).to.equal(667);
    store.releaseColumns(["own", "own"]);
    expect(store.counts("own").size).to.equal(3);
    store.releaseColumns(["own"]);
    expect(() => store.counts("own")).to.throw("no column own");
  });
});

describe("a store that lets go of its bytes", () => {
  it("has columns and no bytes, and follows changes", async () => {
    const { store, feed, told } = await aStore(widgets(300));

    store.dropBytes();
    feed.change("MODIFIED", aWidget({ name: "w-0", resourceVersion: "2", spec: { color: "x" } }));
    feed.change("DELETED", aWidget({ name: "w-1", resourceVersion: "3" }));

    expect(store.stats).to.include({ objects: 299, bytes: 0, allocated: 0, cold: 0 });
    expect(store.raw("default/w-2")).to.equal(undefined);
    expect(store.get("default/w-2")).to.equal(undefined);
    expect(store.counts("spec.color").get("x")).to.equal(1);
    expect(store.valueOf("default/w-2", "spec.color")).to.equal("blue");
    expect(told).to.deep.equal(["MODIFIED default/w-0", "DELETED default/w-1"]);
  });

  it("gets them back by a list, and tells nobody", async () => {
    const managedFields = [{ manager: "m" }];
    const objects = widgets(300).map((each) => ({
      ...each,
      metadata: { ...each.metadata, managedFields },
    }));
    const { store, feed, told } = await aStore(objects);

    store.dropBytes();
    store.keepBytes();
    const before = store.hasBytes;
    feed.list(objects, "5");
    await store.complete;

    expect([before, store.hasBytes]).to.deep.equal([false, true]);
    expect(told).to.deep.equal([]);
    for (const object of objects) {
      const key = `default/${object.metadata.name}`;
      expect(String(store.rawWithManagedFields(key))).to.equal(JSON.stringify(object));
    }
  });

  it("waits for a list that began after it was asked for them", async () => {
    const objects = widgets(10);
    const { store, feed } = await aStore(objects);
    let done = false;

    store.dropBytes();
    feed.broken(objects.slice(0, 5));
    store.keepBytes();
    void store.complete.then(() => {
      done = true;
    });
    for (const object of objects.slice(5)) feed.item(object);
    store.end("5");
    await new Promise(setImmediate);
    const early = done;
    feed.broken(objects.slice(0, 3));
    feed.list(objects, "6");
    await store.complete;

    expect([early, store.hasBytes]).to.deep.equal([false, true]);
    expect(objects.every(({ metadata }) => store.get(`default/${metadata.name}`))).to.equal(true);
  });

  it("fills columns that were added while it had none, by the list or from the bytes", async () => {
    const objects = widgets(300);
    const { store, feed } = await aStore(objects);

    store.dropBytes();
    const first = store.addColumns([{ name: "metadata.uid" }]);
    store.keepBytes();
    const second = store.addColumns([{ name: "kind" }]);
    feed.broken(objects.slice(0, 20));
    const third = store.addColumns([{ name: "apiVersion" }]);
    const index = store.addIndex("color", ({ spec }) => [spec?.color ?? ""]);
    for (const object of objects.slice(20)) feed.item(object);
    store.end("5");
    await Promise.all([first, second, third, index]);

    for (const column of ["metadata.uid", "kind", "apiVersion"]) {
      expect(store.query({ filter: { column, op: "exists" } }).total).to.equal(300);
    }
    expect(store.keysByIndex("color", "red")).to.have.length(100);
  });

  it("fills what was asked for just before the bytes were", async () => {
    const { store, feed } = await aStore(widgets(300));
    store.dropBytes();

    const column = store.addColumns([{ name: "kind" }]);
    const index = store.addIndex("color", ({ spec }) => [spec?.color ?? ""]);
    store.keepBytes();
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    feed.list(widgets(300), "5");
    await Promise.all([column, index]);

    expect(store.query({ filter: { column: "kind", op: "exists" } }).total).to.equal(300);
    expect(store.keysByIndex("color", "red")).to.have.length(100);
  });

  it("lets another user of a column wait for its values, though the first one could not", async () => {
    const { store, feed } = await aStore(widgets(300));
    let done = false;
    store.dropBytes();
    await store.addColumns([{ name: "kind" }]);

    store.keepBytes();
    const second = store.addColumns([{ name: "kind" }]).then(() => {
      done = true;
    });
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    const early = done;
    feed.list(widgets(300), "5");
    await second;

    expect(early).to.equal(false);
    expect(store.query({ filter: { column: "kind", op: "exists" } }).total).to.equal(300);
  });

  it("takes nothing for filled whose bytes went while they were read", async () => {
    const { store, feed } = await aStore(widgets(2000));
    const total = (): number => store.query({ filter: { column: "kind", op: "exists" } }).total;

    const adding = [
      store.addColumns([{ name: "kind" }]),
      store.addIndex("color", ({ spec }) => [spec?.color ?? ""]),
    ];
    store.dropBytes();
    await Promise.all(adding);

    expect(total).to.throw("column kind is still being filled");
    expect(() => store.keysByIndex("color", "red")).to.throw("index color is still being filled");
    feed.list(widgets(2000), "5");
    expect(total()).to.equal(2000);
    expect(store.keysByIndex("color", "red")).to.have.length(667);
  });

  it("has no history of the time without bytes", async () => {
    const { store, feed } = await aStore(widgets(5));
    store.keepHistory();
    feed.change("MODIFIED", aWidget({ name: "w-0", resourceVersion: "2" }));
    const kept = store.changesSince("1")?.length;

    store.dropBytes();
    const dropped = store.changesSince("2");
    store.keepBytes();
    feed.list([aWidget({ name: "w-0", resourceVersion: "2" }), ...widgets(5).slice(1)], "9");
    store.keepHistory();
    feed.change("MODIFIED", aWidget({ name: "w-0", resourceVersion: "10" }));

    expect(kept).to.equal(1);
    expect(dropped).to.equal(undefined);
    expect(store.changesSince("8")).to.equal(undefined);
    expect(store.changesSince("9")?.map(({ key }) => key)).to.deep.equal(["default/w-0"]);
  });

  for (const seed of [1, 2, 3, Date.now() % 1_000_000]) {
    it(`loses no change, whenever bytes go and come (seed ${seed})`, async () => {
      const truth = new Map(widgets(40).map((each) => [`default/${each.metadata.name}`, each]));
      const { store, feed } = await aStore([...truth.values()]);
      const mirror = new Map([...truth].map(([key]) => [key, "1"]));
      store.subscribe(({ type, key, resourceVersion }) => {
        if (type === "DELETED") mirror.delete(key);
        else mirror.set(key, resourceVersion);
      });
      const random = seededRandom(seed);

      for (let step = 2; step < 300; step++) happen(random, String(step), { store, feed, truth });
      store.keepBytes();
      feed.list([...truth.values()], "300");
      await store.complete;

      const held = new Map([...store.keys()].map((key) => [key, store.get(key)]));
      expect(held).to.deep.equal(new Map([...held.keys()].map((key) => [key, truth.get(key)])));
      expect(new Set(held.keys())).to.deep.equal(new Set(truth.keys()));
      expect(mirror).to.deep.equal(
        new Map([...held].map(([key, object]) => [key, object?.metadata.resourceVersion])),
      );
    });
  }
});

/** One random thing. */
function happen(
  random: Random,
  resourceVersion: string,
  {
    store,
    feed,
    truth,
  }: { readonly store: Store<Widget>; readonly feed: Feed; readonly truth: Map<string, Widget> },
): void {
  const dice = random.next();
  if (dice < 0.08) store.dropBytes();
  else if (dice < 0.16) store.keepBytes();
  else if (dice < 0.22) feed.list([...truth.values()], resourceVersion);
  else if (dice < 0.26) feed.broken([...truth.values()].slice(0, random.below(20)));
  if (dice < 0.26) return;
  const name = `w-${random.below(50)}`;
  const key = `default/${name}`;
  if (dice < 0.4 && truth.delete(key)) {
    feed.change("DELETED", aWidget({ name, resourceVersion }));
    return;
  }
  const object = aWidget({ name, resourceVersion, spec: { color: random.pick(colors) } });
  truth.set(key, object);
  feed.change("MODIFIED", object);
}
