import { expect } from "chai";
import { type Fields, type Logger, silentLogger } from "../base/index.ts";
import { longestTurn } from "../testing/index.ts";
import { type ScannedObject, scanObject } from "../watch/index.ts";
import type { Background } from "./background.ts";
import { ColdFields } from "./cold.ts";
import { aWidget, Feed, scanned, Widget } from "./fixtures.ts";
import { Rows } from "./rows.ts";
import { Store, type StoreOptions } from "./store.ts";

/** A store with all that its log was told. */
function aStore(options: StoreOptions = {}): {
  readonly store: Store<Widget>;
  readonly feed: Feed;
  readonly logs: (readonly [string, Fields | undefined])[];
} {
  const logs: (readonly [string, Fields | undefined])[] = [];
  const error = (message: string, fields?: Fields): void => void logs.push([message, fields]);
  const logger: Logger = { ...silentLogger, error, child: () => logger };
  const store = new Store(Widget, { logger, ...options });
  return { store, feed: new Feed(store), logs };
}

function raw(text: string): ScannedObject {
  const bytes = Buffer.from(text);
  const found = scanObject(bytes, 0, bytes.length);
  if (found === undefined) throw new Error("not scanned");
  return found;
}

const deep = (depth: number): string =>
  `{"metadata":{"name":"deep","namespace":"default","resourceVersion":"2"},"a\\u0026b":9007199254740993,"spec":${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}}`;

describe("a store of objects that users made to harm it", () => {
  for (const depth of [3_000, 10_000]) {
    it(`holds an object ${depth} levels deep, in every form, and all others`, async () => {
      const { store, feed, logs } = aStore({ freeze: true });
      await store.addColumns([
        { name: "spec" },
        { name: "note", path: "spec", type: "text" },
        { name: "from", from: ({ spec }) => spec },
        { name: "number", path: "spec", type: "number" },
        { name: "exact", from: ({ spec }) => spec, exact: true },
      ]);
      await store.addIndex("name", ({ metadata }) => [metadata.name]);

      store.begin();
      store.item(raw(deep(depth)));
      store.item(scanned(aWidget({ name: "a" })));
      store.end("5");
      feed.change("ADDED", aWidget({ name: "b", resourceVersion: "6" }));

      expect([...store.keys()].sort()).to.deep.equal(
        ["a", "b", "deep"].map((name) => `default/${name}`),
      );
      expect(store.get("default/deep")).to.have.property("spec");
      expect(store.valueOf("default/deep", "spec")).to.match(/^\{"a":\[\{"a":/);
      expect(store.valueOf("default/deep", "from")).to.equal(store.valueOf("default/deep", "note"));
      expect(store.valueOf("default/deep", "exact")).to.equal(
        store.valueOf("default/deep", "note"),
      );
      expect(store.keysByIndex("name", "deep")).to.deep.equal(["default/deep"]);
      expect(logs).to.deep.equal([]);
    });
  }

  it("keeps values of functions that no JSON can hold, or none, and every other column", async () => {
    const { store, feed, logs } = aStore();
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    const values: Record<string, unknown> = {
      cycle,
      bigint: 10n,
      bigints: { a: [10n] },
      dates: [new Date(0)],
      throws: {
        get a(): never {
          throw new Error("a getter");
        },
      },
    };
    await store.addColumns([
      ...Object.keys(values).map((name) => ({ name, from: () => values[name] })),
      { name: "spec.color" },
    ]);

    feed.list([aWidget({ name: "a", spec: { color: "red" } })], "1");
    feed.change("ADDED", aWidget({ name: "b", resourceVersion: "2", spec: { color: "blue" } }));

    const found = (name: string): unknown => store.valueOf("default/b", name);
    expect(found("spec.color")).to.equal("blue");
    expect(found("cycle")).to.match(/^\{"a":1,"self":\{"a":1,/);
    expect(["bigint", "bigints", "dates", "throws"].map(found)).to.deep.equal([
      "10",
      '{"a":[10]}',
      '"1970-01-01T00:00:00.000Z"',
      undefined,
    ]);
    expect(logs.map(([, fields]) => fields?.column)).to.deep.equal(["throws", "throws"]);
  });

  it("keeps no secret of what is no JSON in its log", async () => {
    const { store, logs } = aStore();
    await store.addColumns([
      { name: "data" },
      { name: "data.password" },
      { name: "labels", path: "metadata.labels" },
    ]);
    await store.addIndex("x", ({ metadata }) => [metadata.name]);

    store.begin();
    store.item(raw('{"metadata":{"name":"a","resourceVersion":"1"},"data":{"password":hunter2}}'));
    store.item(raw('{"metadata":{"name":"b\\hunter2","resourceVersion":"1"}}'));
    store.item(raw('{"metadata":{"name":"c","resourceVersion":"1","labels":{"hunter2":}}}'));
    store.end("1");
    store.list();

    expect(logs.length).to.be.greaterThan(3);
    expect(JSON.stringify(logs)).to.not.contain("hunter");
  });

  it("takes every state of an object that has no resourceVersion", () => {
    const { store, feed } = aStore();
    const state = (size: number): Widget =>
      aWidget({ name: "a", resourceVersion: "", spec: { size } });

    feed.list([state(1)], "1");
    feed.change("MODIFIED", state(2));
    const changed = store.get("default/a")?.spec?.size;
    feed.list([state(3)], "2");

    expect([changed, store.get("default/a")?.spec?.size]).to.deep.equal([2, 3]);
  });

  it("takes no object for another one", () => {
    const { store, feed } = aStore();
    feed.list([aWidget({ name: "a" }), aWidget({ name: "b" })], "1");

    const heal = (): void => store.heal("default/a", scanned(aWidget({ name: "b" })));

    expect(heal).to.throw("the object that was read is not default/a");
    expect(store.list().map(({ metadata }) => metadata.name)).to.deep.equal(["a", "b"]);
  });

  it("stays empty when a listener disposes it in mid-event", () => {
    const { store, feed } = aStore();
    store.subscribe(() => store.dispose());

    feed.list([aWidget({ name: "a" }), aWidget({ name: "b" })], "1");
    feed.change("ADDED", aWidget({ name: "c", resourceVersion: "2" }));
    store.state({ phase: "live" });

    expect([store.size, store.stats.allocated, [...store.keys()].length]).to.deep.equal([0, 0, 0]);
    expect(store.watchState.phase).to.equal("listing");
  });
});

describe("a store of large objects", () => {
  it("adds columns and indexes without holding up the event loop", async () => {
    const { store, feed } = aStore({ parsedBytes: 0 });
    const note = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ k: `v${n}` })));
    const large = { size: 1, note };
    feed.list(
      Array.from({ length: 30 }, (_, n) => aWidget({ name: `w-${n}`, spec: large })),
      "1",
    );

    const longest = await longestTurn(async () => {
      await Promise.all([
        store.addIndex("name", ({ metadata }) => [metadata.name]),
        store.addColumns([
          { name: "spec.size" },
          { name: "x", from: ({ metadata }) => metadata.uid },
        ]),
      ]);
      await new Promise(setImmediate); // the turn that did the work has to end to be measured
    });

    expect(longest).to.be.lessThan(60); // all of them at once take 200
    expect(store.keysByIndex("name", "w-7")).to.deep.equal(["default/w-7"]);
    expect(store.valueOf("default/w-29", "spec.size")).to.equal("1");
  });
});

describe("ColdFields", () => {
  it("packs the rest after it failed on one", () => {
    const runs: Generator<void, void, void>[] = [];
    const background = {
      run: (steps: Generator<void, void, void>) => runs.push(steps),
    } as unknown as Background;
    const rows = new Rows();
    const cold = new ColdFields(rows, background);
    const bytes = Buffer.from(`{"a":"${"b".repeat(400)}"}`);
    const cut = { start: 1, end: 400 };
    for (const key of ["a", "b"]) cold.set(rows.add(key), bytes, 0, cut);

    cold.pack();
    runs[0]?.next();
    expect(() => runs[0]?.throw(new Error("no memory"))).to.throw("no memory");
    cold.pack();
    for (const _ of runs[1] ?? []);

    expect(runs).to.have.length(2);
    expect(cold.restore(1, Buffer.from("{}")).toString()).to.equal(
      `{${bytes.toString("utf8", cut.start, cut.end)}}`,
    );
  });
});
