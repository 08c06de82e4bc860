import { getEventListeners } from "node:events";
import { expect } from "chai";
import { type Fields, type Logger, silentLogger } from "../base/index.ts";
import { type KubeObject, parseJsonExactly } from "../kube/index.ts";
import {
  eventually,
  fakeClock,
  longestTurn,
  randomObject,
  seededRandom,
} from "../testing/index.ts";
import { type ScannedObject, scanObject } from "../watch/index.ts";
import { Background } from "./background.ts";
import { parsePath } from "./columns/path.ts";
import { toText } from "./columns/to-text.ts";
import { aWidget, Feed, scanned, scannedText, spin, Widget } from "./fixtures.ts";
import { Store, type StoreOptions } from "./store.ts";

/** A store with what it told its listener and its log. */
function aStore(options: StoreOptions = {}): {
  readonly store: Store<Widget>;
  readonly feed: Feed;
  readonly told: string[];
  readonly errors: string[];
  readonly background: Background;
} {
  const errors: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message: string, fields?: Fields) => errors.push(`${message}: ${fields?.key}`),
    child: () => logger,
  };
  const background = new Background(logger);
  const store = new Store(Widget, { logger, background, freeze: true, ...options });
  const told: string[] = [];
  store.subscribe(({ type, key, resourceVersion, previousResourceVersion, initial }) => {
    const name = key.split("/")[1];
    told.push(`${type} ${name} ${previousResourceVersion ?? ""}>${resourceVersion} ${initial}`);
  });
  return { store, feed: new Feed(store), told, errors, background };
}

const widgets = (names: string, resourceVersion = "1"): readonly Widget[] =>
  names.split(" ").map((name) => aWidget({ name, resourceVersion }));

describe("a store that is listed", () => {
  it("is synced when its first list is complete, not before", async () => {
    const { store, feed } = aStore();
    const seen: unknown[] = [];
    store.subscribe(({ key }) => seen.push([key, store.has(key), store.synced]));

    feed.broken(widgets("a"));
    const before = { synced: store.synced, resourceVersion: store.resourceVersion };
    store.end("7");
    await store.whenSynced();

    expect(before).to.deep.equal({ synced: false, resourceVersion: "" });
    expect({ synced: store.synced, resourceVersion: store.resourceVersion }).to.deep.equal({
      synced: true,
      resourceVersion: "7",
    });
    expect(seen).to.deep.equal([["default/a", true, false]]);
  });

  it("tells what a second list has that differs, and nothing else", () => {
    const { store, feed, told } = aStore();
    feed.list(widgets("same changed gone"), "10");
    told.length = 0;

    feed.list([...widgets("same"), ...widgets("changed new", "12")], "13");

    expect(told).to.deep.equal([
      "MODIFIED changed 1>12 false",
      "ADDED new >12 false",
      "DELETED gone 1>1 false",
    ]);
    expect([...store.keys()].sort()).to.deep.equal([
      "default/changed",
      "default/new",
      "default/same",
    ]);
  });

  it("deletes nothing for a list that breaks off", () => {
    const { store, feed, told } = aStore();
    feed.list(widgets("a b c"), "10");
    told.length = 0;

    feed.broken(widgets("a"));
    const between = store.size;
    feed.list(widgets("a b"), "20");

    expect(between).to.equal(3);
    expect(told).to.deep.equal(["DELETED c 1>1 false"]);
  });

  it("takes objects that change or go while they are listed", async () => {
    const { store, feed, told } = aStore();
    store.keepHistory();
    feed.list(widgets("a b gone c"), "10");
    told.length = 0;

    store.begin();
    for (const each of [...widgets("a b"), ...widgets("a", "11"), ...widgets("a new", "12")]) {
      store.item(scanned(each));
    }
    feed.change("DELETED", aWidget({ name: "b", resourceVersion: "13" }));
    const reached = await store.waitFor("13", { timeout: 1 });
    store.end("14");

    expect(reached).to.equal(false);
    expect([...store.keys()].sort()).to.deep.equal(["default/a", "default/new"]);
    expect(told).to.deep.equal([
      "MODIFIED a 1>11 false",
      "MODIFIED a 11>12 false",
      "ADDED new >12 false",
      "DELETED b 1>13 false",
      "DELETED gone 1>1 false",
      "DELETED c 1>1 false",
    ]);
    expect(store.changesSince("10")).to.equal(undefined);
    expect(store.changesSince("14")).to.deep.equal([]);
  });

  it("forgets what only a broken first list had", () => {
    const { store, feed, told } = aStore();

    feed.broken(widgets("was"));
    feed.list(widgets("is"), "2");

    expect([...store.keys()]).to.deep.equal(["default/is"]);
    expect(told).to.deep.equal(["ADDED was >1 true", "ADDED is >1 true", "DELETED was 1>1 false"]);
  });

  it("takes the list of a server that was restored from a backup, older versions and all", async () => {
    const { store, feed } = aStore();
    feed.list(widgets("a", "500"), "600");

    feed.list(widgets("a", "40"), "50");

    expect(store.resourceVersionOf("default/a")).to.equal("40");
    expect(store.resourceVersion).to.equal("50");
    expect(await store.waitFor("51", { timeout: 1 })).to.equal(false);
  });

  it("takes other states of resourceVersions that a restored server gave out twice", () => {
    const { store, feed, told } = aStore();
    feed.list(widgets("a b", "7"), "7");
    told.length = 0;
    const again = [aWidget({ name: "a", resourceVersion: "7", spec: { size: 9 } })];

    feed.list(again, "8");
    expect(told).to.deep.equal(["DELETED b 7>7 false"]);
    store.state({ phase: "degraded", reason: "Restored", message: "m" });
    feed.list(again, "8");
    feed.list(again, "9");

    expect(told.slice(1)).to.deep.equal(["MODIFIED a 7>7 false"]);
    expect(store.get("default/a")?.spec?.size).to.equal(9);
  });

  const modified = ["MODIFIED a 1>1 false"];
  for (const [title, keep, again] of [
    ["nothing of what a restored server has as it was", "objects", []],
    ["all that a restored server has, where there are no bytes to compare", "columns", modified],
  ] as const)
    it(`tells ${title}`, () => {
      const { store, feed, told } = aStore({ keep });
      const as = (manager: string, size: number): Widget =>
        aWidget({ name: "a", spec: { size }, managedFields: [{ manager }] });
      feed.list([as("kubectl", 1)], "7");
      told.length = 0;

      store.state({ phase: "degraded", reason: "Restored", message: "m" });
      feed.list([as("other", 1)], "8");
      const unchanged = told.splice(0);
      store.state({ phase: "degraded", reason: "Restored", message: "m" });
      feed.list([as("kubectl", 2)], "9");

      expect({ unchanged, changed: told }).to.deep.equal({ unchanged: again, changed: modified });
    });

  describe("that a restored server does not have, by the hundred", () => {
    const many = Array.from({ length: 600 }, (_, n) =>
      aWidget({ name: `w-${n}`, resourceVersion: "900" }),
    );
    const anew = aWidget({ name: "w-599", resourceVersion: "51", uid: "new", spec: { size: 51 } });
    const same = aWidget({ name: "w-598", resourceVersion: "900", uid: "new", spec: { size: 9 } });

    /** Some of it has yet to be taken away. */
    function restored(): ReturnType<typeof aStore> {
      const bed = aStore();
      bed.feed.list(many, "1000");
      bed.store.state({ phase: "degraded", reason: "Restored", message: "m" });
      bed.feed.list([], "50");
      return bed;
    }

    it("keeps what is made anew before it was taken away", async () => {
      const { store, feed, background } = restored();

      for (const object of [anew, same]) feed.change("ADDED", object);
      await eventually(() => background.size === 0);

      expect([...store.keys()].sort()).to.deep.equal(["default/w-598", "default/w-599"]);
      expect(store.get("default/w-599")?.metadata.uid).to.equal("new");
      expect(store.get("default/w-598")?.spec?.size).to.equal(9);
    });

    it("takes another state under the same version, and begins a history, with the list that comes meanwhile", async () => {
      const { store, feed, background } = restored();
      store.keepHistory();
      const { timeline } = store;

      feed.list([same], "1100");
      await eventually(() => background.size === 0);

      expect([...store.keys()]).to.deep.equal(["default/w-598"]);
      expect(store.get("default/w-598")?.spec?.size).to.equal(9);
      expect(store.timeline).to.equal(timeline + 1);
      expect(store.changesSince("1100")).to.deep.equal([]);
    });
  });

  it("sweeps thousands in the background, and says it is there only then", async function () {
    this.timeout(10_000);
    const { store, feed, told } = aStore();
    const many = Array.from({ length: 20_000 }, (_, n) => aWidget({ name: `w-${n}` }));
    feed.list(many, "10");
    told.length = 0;
    const waiting = store.waitFor("20", { timeout: 9000 });
    let gone = 0;

    const longest = await longestTurn(async () => {
      feed.list(many.slice(0, 5), "20");
      gone = told.length;
      feed.change("MODIFIED", aWidget({ name: "w-19999", resourceVersion: "21" }));
      feed.change("DELETED", aWidget({ name: "w-19998", resourceVersion: "22" }));
      expect(store.resourceVersion).to.equal("10");
      await waiting;
    });

    expect(gone).to.equal(0);
    expect(longest).to.be.below(50);
    expect(store.size).to.equal(6);
    expect(store.resourceVersion).to.equal("22");
    expect(told.filter((each) => each.startsWith("DELETED"))).to.have.length(19_994);
    expect(told.filter((each) => each.includes("w-19998 "))).to.deep.equal([
      "DELETED w-19998 1>22 false",
    ]);
  });

  for (const broken of [0, 253, 254, 255, 256, 509]) {
    it(`deletes what a list does not have, also after ${broken} lists that broke off`, () => {
      const { store, feed } = aStore();
      feed.list(widgets("stays goes"), "10");

      for (let n = 0; n < broken; n++) feed.broken([]);
      feed.list(widgets("stays"), "20");

      expect([...store.keys()]).to.deep.equal(["default/stays"]);
    });
  }

  it("begins a sweep anew with a list that comes meanwhile", async () => {
    const { store, feed, background } = aStore();
    const many = Array.from({ length: 2000 }, (_, n) => aWidget({ name: `w-${n}` }));
    feed.list(many, "10");

    feed.list([], "20");
    feed.broken([]);
    await background.run((function* () {})()).done;
    const kept = store.size;
    feed.list(many.slice(0, 10), "30");
    await store.waitFor("30");

    expect(kept).to.equal(2000);
    expect(store.size).to.equal(10);
  });
});

describe("who waits for the next list of a store", () => {
  it("waits for one that has yet to begin, not for the end of the last one's sweep", async () => {
    const { store, feed } = aStore({ keep: "columns" });
    const many = Array.from({ length: 1000 }, (_, n) => aWidget({ name: `w-${n}` }));
    feed.list(many, "10");
    feed.list(many.slice(0, 1), "20");
    await store.addColumns([{ name: "spec.color" }]);
    let listed = false;
    const waiting = store.listed.then(() => {
      listed = true;
    });

    await store.waitFor("20");
    await new Promise(setImmediate);
    const early = listed;
    feed.list([aWidget({ name: "w-0", spec: { color: "red" } })], "30");
    await waiting;

    expect(early).to.equal(false);
    expect(store.counts("spec.color")).to.deep.equal(new Map([["red", 1]]));
  });

  it("waits for the one after it when it breaks off", async () => {
    const { store, feed } = aStore();
    let listed = 0;
    const count = (): unknown => listed++;
    const waiting = [store.listed.then(count)];
    feed.broken(widgets("a"));
    waiting.push(store.listed.then(count));
    await new Promise(setImmediate);
    const early = listed;

    feed.list(widgets("a"), "1");
    await Promise.all(waiting);

    expect(early).to.equal(0);
    expect(listed).to.equal(2);
  });
});

describe("a store that is told changes", () => {
  it("shows each at once, and tells it with the states before and after", () => {
    const { store, feed } = aStore();
    feed.list([aWidget({ name: "a", spec: { size: 1 }, labels: { x: "1" } })], "1");
    const states: unknown[] = [];
    store.subscribe((change) =>
      states.push([
        change.previous()?.spec?.size,
        change.current()?.spec?.size,
        store.get("default/a")?.spec?.size,
        change.labelsChanged,
      ]),
    );
    const to = (resourceVersion: string, size: number, x: string): Widget =>
      aWidget({ name: "a", resourceVersion, spec: { size }, labels: { x } });

    feed.change("MODIFIED", to("2", 2, "1"));
    feed.change("MODIFIED", to("3", 3, "2"));
    feed.change("DELETED", to("4", 3, "2"));

    expect(states).to.deep.equal([
      [1, 2, 2, false],
      [2, 3, 3, true],
      [3, undefined, undefined, true],
    ]);
  });

  it("ignores what it knows already and what is older", () => {
    const { feed, told, store } = aStore();
    feed.list(widgets("a", "10"), "10");
    told.length = 0;

    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "10" }));
    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "9" }));
    feed.change("DELETED", aWidget({ name: "a", resourceVersion: "8" }));
    feed.change("DELETED", aWidget({ name: "unknown", resourceVersion: "11" }));

    expect(told).to.deep.equal([]);
    expect(store.size).to.equal(1);
    expect(store.resourceVersion).to.equal("11");
  });

  it("tells an object that took another's name as one that went and one that came", () => {
    const { feed, told, store } = aStore();
    const second = aWidget({ name: "a", uid: "second", resourceVersion: "5" });
    const third = aWidget({ name: "a", uid: "third", resourceVersion: "9" });
    feed.list(widgets("a"), "1");
    told.length = 0;

    feed.change("MODIFIED", second);
    feed.list([third], "9");

    expect(told).to.deep.equal([
      "DELETED a 1>1 false",
      "ADDED a >5 false",
      "DELETED a 5>5 false",
      "ADDED a >9 false",
    ]);
    expect(store.uidOf("default/a")).to.equal("third");
  });

  it("goes on after a listener that throws, and tells it the next one too", () => {
    const { store, feed, told, errors } = aStore();
    let calls = 0;
    store.subscribe(() => {
      calls++;
      throw new Error("broken listener");
    });

    feed.list(widgets("a b"), "1");

    expect(calls).to.equal(2);
    expect(told).to.have.length(2);
    expect(errors).to.deep.equal([
      "a cache listener failed: default/a",
      "a cache listener failed: default/b",
    ]);
  });

  it("tells nobody who left, also in the middle of a change", () => {
    const { store, feed } = aStore();
    let calls = 0;
    const first = store.subscribe(() => second[Symbol.dispose]());
    const second = store.subscribe(() => calls++);

    feed.list(widgets("a"), "1");
    first[Symbol.dispose]();

    expect(calls).to.equal(0);
  });

  it("keeps a change's states only for those who asked during the call", () => {
    const { store, feed } = aStore({ parsedBytes: 0 });
    feed.list([aWidget({ name: "a", spec: { size: 1 } })], "1");
    const changes: { previous(): Widget | undefined; current(): Widget | undefined }[] = [];
    store.subscribe((change) => {
      if (changes.length === 0) change.previous();
      changes.push(change);
    });

    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "2" }));
    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "3" }));

    expect(changes.map((change) => change.previous()?.spec?.size)).to.deep.equal([1, undefined]);
    expect(changes.map((change) => change.current())).to.deep.equal([undefined, undefined]);
  });

  it("replays what is there to those who come later", async () => {
    const { store, feed } = aStore();
    const many = Array.from({ length: 1000 }, (_, n) => aWidget({ name: `w-${n}` }));
    feed.list(many, "1");
    const seen: string[] = [];

    const { replayed } = store.subscribe(
      ({ type, key, initial, resourceVersion }) =>
        seen.push(`${type} ${key} ${initial} ${resourceVersion}`),
      { replay: true },
    );
    const before = seen.length;
    await replayed;

    expect(before).to.equal(0);
    expect(seen.sort()).to.deep.equal(
      many.map(({ metadata }) => `ADDED default/${metadata.name} true 1`).sort(),
    );
  });

  it("stops a replay with its subscription", async () => {
    const { store, feed } = aStore();
    feed.list(widgets("a b c"), "1");
    let calls = 0;
    const subscription = store.subscribe(() => calls++, { replay: true });

    subscription[Symbol.dispose]();
    await subscription.replayed;

    expect(calls).to.equal(0);
  });
});

describe("a replay of what an index has", () => {
  const byLabel = ({ metadata }: KubeObject): readonly string[] => [metadata.labels?.app ?? ""];
  const labelled = (app: string, names: string, resourceVersion = "1") =>
    names.split(" ").map((name) => aWidget({ name, labels: { app }, resourceVersion }));

  it("tells that and nothing else, and no later change", async () => {
    const { store, feed } = aStore();
    await store.addIndex("app", byLabel);
    feed.list([...labelled("web", "a b"), ...labelled("db", "c d e")], "1");
    const seen: string[] = [];

    const { replayed } = store.replay(
      ({ type, key, initial }) => seen.push(`${type} ${key} ${initial}`),
      "app",
      "web",
    );
    await replayed;
    feed.change("ADDED", aWidget({ name: "f", labels: { app: "web" }, resourceVersion: "2" }));

    expect(seen).to.deep.equal(["ADDED default/a true", "ADDED default/b true"]);
  });

  it("leaves out what has gone or has another value when its turn comes", async () => {
    const { store, feed } = aStore();
    await store.addIndex("app", byLabel);
    feed.list(labelled("web", "a b c d"), "1");
    const seen: string[] = [];

    const { replayed } = store.replay(({ key }) => seen.push(key), "app", "web");
    feed.change("MODIFIED", aWidget({ name: "b", labels: { app: "db" }, resourceVersion: "2" }));
    feed.change("DELETED", aWidget({ name: "c", labels: { app: "web" }, resourceVersion: "3" }));
    // Takes the row that c had.
    feed.change("ADDED", aWidget({ name: "e", labels: { app: "web" }, resourceVersion: "4" }));
    await replayed;

    expect(seen).to.deep.equal(["default/a", "default/d"]);
  });

  it("stops when it is disposed of, and needs the index", async () => {
    const { store, feed } = aStore();
    await store.addIndex("app", byLabel);
    feed.list(labelled("web", "a b"), "1");
    let calls = 0;

    const subscription = store.replay(() => calls++, "app", "web");
    subscription[Symbol.dispose]();
    await subscription.replayed;

    expect(calls).to.equal(0);
    expect(() => store.replay(() => calls++, "other", "web")).to.throw("no index other");
  });
});

describe("what a store says of itself", () => {
  it("is how long ago the server told anything, and listed", async () => {
    const clock = fakeClock();
    const { store, feed } = aStore({ clock });
    const ages: (readonly [number, number])[] = [];
    const after = async (event: () => void): Promise<void> => {
      event();
      await clock.advance(100);
      ages.push([store.age, store.sinceList]);
    };

    await after(() => undefined);
    await after(() => feed.list(widgets("a"), "1"));
    await after(() => feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "2" })));
    await after(() => store.bookmark("3"));
    await after(() => store.state({ phase: "live" }));

    expect(ages).to.deep.equal([
      [100, Number.POSITIVE_INFINITY],
      [100, 100],
      [100, 200],
      [100, 300],
      [200, 400],
    ]);
  });

  it("is the state of its watch, told to one listener too", () => {
    const states: unknown[] = [];
    const { store } = aStore({ onState: (state) => states.push(state) });
    const degraded = { phase: "degraded", reason: "Forbidden", message: "no" } as const;

    const first = store.watchState;
    store.state(degraded);

    expect(first).to.deep.equal({ phase: "listing" });
    expect(store.watchState).to.equal(degraded);
    expect(states).to.deep.equal([degraded]);
  });
});

describe("what a store says of its objects", () => {
  it("is the object without managedFields, the same one until its state changes", () => {
    const { store, feed } = aStore();
    const widget = aWidget({ name: "a", spec: { size: 1 } });
    feed.list([{ ...widget, metadata: { ...widget.metadata, managedFields: [{}] } }], "1");

    const first = store.get("default/a");
    const second = store.get("default/a");
    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "2" }));

    expect(first).to.deep.equal(widget);
    expect(second).to.equal(first);
    expect(store.get("default/a")).to.not.equal(first);
    expect(String(store.raw("default/a"))).to.equal(
      JSON.stringify(aWidget({ name: "a", resourceVersion: "2" })),
    );
  });

  it("is nothing for a key it does not have", () => {
    const { store } = aStore();

    expect([
      store.get("x"),
      store.raw("x"),
      store.rawWithManagedFields("x"),
      store.managedFields("x"),
      store.resourceVersionOf("x"),
      store.uidOf("x"),
      store.valueOf("x", "id"),
    ]).to.deep.equal(Array(7).fill(undefined));
    expect(store.labelsOf("x")).to.deep.equal({});
    expect(store.has("x")).to.equal(false);
  });

  it("has its labels at hand", () => {
    const { store, feed } = aStore();
    const labels = { app: "web" };
    feed.list([aWidget({ name: "a", labels }), ...widgets("b")], "1");

    const before = store.labelsOf("default/a");
    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "2", labels: { app: "db" } }));

    expect(before).to.deep.equal(labels);
    expect(store.labelsOf("default/a")).to.deep.equal({ app: "db" });
    expect(store.labelsOf("default/b")).to.deep.equal({});
  });

  it("is a list, of all or of one namespace", () => {
    const { store, feed } = aStore();
    const [a, b] = [
      aWidget({ name: "a", namespace: "one" }),
      aWidget({ name: "b", namespace: "two" }),
    ];
    const cluster = { ...b, metadata: { name: "c", uid: "c", resourceVersion: "1" } };
    feed.list([a, b, cluster], "1");

    expect(store.list()).to.deep.equal([a, b, cluster]);
    expect(store.list({ namespace: "two" })).to.deep.equal([b]);
    expect(store.list({ namespace: "none" })).to.deep.equal([]);
    expect(store.get("c")).to.deep.equal(cluster);
    expect(store.valueOf("c", "metadata.namespace")).to.equal(undefined);
    expect(store.valueOf("two/b", "metadata.name")).to.equal("b");
  });

  it("is found by indexes, also by those that come later", async () => {
    const { store, feed } = aStore();
    const color = ({ spec }: Widget): readonly string[] => (spec?.color ? [spec.color] : []);
    const many = Array.from({ length: 500 }, (_, n) =>
      aWidget({ name: `w-${n}`, spec: { color: n % 100 ? "red" : "blue" } }),
    );
    feed.list(many, "1");

    const adding = store.addIndex("color", color);
    expect(() => store.byIndex("color", "blue")).to.throw("still being filled");
    feed.change(
      "MODIFIED",
      aWidget({ name: "w-1", resourceVersion: "2", spec: { color: "blue" } }),
    );
    feed.change("DELETED", aWidget({ name: "w-100", resourceVersion: "3" }));
    await adding;

    expect(store.keysByIndex("color", "blue").toSorted()).to.deep.equal(
      ["w-0", "w-1", "w-200", "w-300", "w-400"].map((name) => `default/${name}`),
    );
    expect(store.byIndex("color", "blue")).to.have.length(5);
  });

  it("is found by an index that took the name of one while that was being filled", async () => {
    const { store, feed } = aStore();
    const many = Array.from({ length: 400 }, (_, n) => aWidget({ name: `w-${n}` }));
    feed.list(many, "1");
    const slowly = (): readonly string[] => {
      spin(0.1);
      return ["second"];
    };

    const first = store.addIndex("it", () => ["first"]);
    await new Promise(setImmediate);
    store.releaseIndex("it");
    const second = store.addIndex("it", slowly);
    await first;
    const early = (): number => store.keysByIndex("it", "second").length;
    expect(early).to.throw("still being filled");
    await second;

    expect(store.keysByIndex("it", "second")).to.have.length(400);
    expect(store.keysByIndex("it", "first")).to.deep.equal([]);
  });

  it("is columns alone where no bytes are kept", async () => {
    const { store, feed, told } = aStore({ keep: "columns" });
    await store.addColumns([{ name: "spec.color" }]);
    const states: unknown[] = [];
    store.subscribe((change) =>
      states.push([change.previous()?.spec?.color, change.current()?.spec?.color]),
    );

    feed.list([aWidget({ name: "a", spec: { color: "red" } })], "1");
    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "2", spec: { color: "blue" } }));
    feed.change("DELETED", aWidget({ name: "a", resourceVersion: "3", spec: { color: "green" } }));
    feed.change("ADDED", aWidget({ name: "b", resourceVersion: "4", spec: { color: "pink" } }));

    expect(store.valueOf("default/b", "spec.color")).to.equal("pink");
    expect(store.get("default/b")).to.equal(undefined);
    expect(store.raw("default/b")).to.equal(undefined);
    expect(store.uidOf("default/b")).to.equal(aWidget({ name: "b" }).metadata.uid);
    expect(store.stats.allocated).to.equal(0);
    expect(told).to.have.length(4);
    expect(states).to.deep.equal([
      [undefined, "red"],
      [undefined, "blue"],
      ["green", undefined],
      [undefined, "pink"],
    ]);
  });

  it("gets columns that were added later from the next list where no bytes are kept", async () => {
    const { store, feed } = aStore({ keep: "columns" });
    const red = aWidget({ name: "a", spec: { color: "red" } });
    feed.list([red], "1");

    await store.addColumns([{ name: "spec.color" }]);
    await store.addIndex("color", ({ spec }) => [spec?.color ?? ""]);
    const early = (): unknown => store.counts("spec.color");
    expect(early).to.throw("still being filled");
    feed.list([red], "2");

    expect(store.counts("spec.color")).to.deep.equal(new Map([["red", 1]]));
    expect(store.keysByIndex("color", "red")).to.deep.equal(["default/a"]);
  });
});

describe("the state of an object", () => {
  it("is another number for other bytes, and the same for the same", () => {
    const { store, feed } = aStore();
    const [a, b] = [aWidget({ name: "a", resourceVersion: "1" }), aWidget({ name: "b" })];
    const states = (): readonly unknown[] => [...store.keys()].map((key) => store.stateOf(key));
    feed.list([a, b], "5");
    const first = states();

    feed.list([a, b], "6");
    expect(states()).to.deep.equal(first);
    feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "7" }));
    const [changed, other] = states();
    feed.change("DELETED", aWidget({ name: "a", resourceVersion: "8" }));
    expect(store.stateOf("default/a")).to.equal(undefined);
    feed.change("ADDED", aWidget({ name: "a", resourceVersion: "9" }));

    expect(other).to.equal(first[1]);
    expect(new Set([...first, changed, store.stateOf("default/a")]).size).to.equal(4);
  });

  it("is none where no bytes are kept", () => {
    const { store, feed } = aStore({ keep: "columns" });
    feed.list([aWidget({ name: "a" })], "1");

    expect(store.has("default/a")).to.equal(true);
    expect(store.stateOf("default/a")).to.equal(undefined);
  });
});

describe("the revision of a store", () => {
  const [a, b] = [aWidget({ name: "a", resourceVersion: "1" }), aWidget({ name: "b" })];

  it("is another one after each change", async () => {
    const { store, feed } = aStore();
    const seen = [store.revision];
    const changes: readonly (() => void)[] = [
      () => feed.list([a, b], "5"),
      () => feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "7" })),
      () => feed.change("ADDED", aWidget({ name: "c", resourceVersion: "8" })),
      () => feed.change("DELETED", aWidget({ name: "c", resourceVersion: "9" })),
      () => feed.list([a], "10"),
      () => store.heal("default/a", undefined),
      () => store.dropBytes(),
      () => store.dispose(),
    ];

    for (const change of changes) {
      change();
      expect(seen).not.to.include(store.revision);
      seen.push(store.revision);
    }
  });

  it("is another one when bytes come back", () => {
    const { store, feed } = aStore();
    feed.list([a], "5");
    store.dropBytes();
    store.keepBytes();
    const { revision } = store;

    feed.list([a], "5");

    expect(store.raw("default/a")).not.to.equal(undefined);
    expect(store.revision).not.to.equal(revision);
  });

  it("is the same while nothing changes, however far the watch comes", () => {
    const { store, feed } = aStore();
    feed.list([a, b], "5");
    const { revision } = store;

    feed.list([a, b], "6");
    store.bookmark("7");
    feed.change("MODIFIED", a);

    expect(store.resourceVersion).to.equal("7");
    expect(store.revision).to.equal(revision);
  });
});

describe("a store that is given odd objects", () => {
  const raw = (text: string): ScannedObject => {
    const bytes = Buffer.from(text);
    const found = scanObject(bytes, 0, bytes.length);
    if (found === undefined) throw new Error("the scanner does not trust it");
    return found;
  };

  it("counts and reports those that are no JSON, and loses nothing else", async () => {
    const { store, feed, errors } = aStore();
    await store.addColumns([
      { name: "spec.color" },
      { name: "size", from: ({ spec }) => spec?.size },
    ]);
    await store.addIndex("color", ({ spec }) => [spec?.color ?? ""]);

    store.begin();
    store.item(raw('{"metadata":{"name":"bad","resourceVersion":"1"},"spec":{"color":oops}}'));
    store.item(raw('{"metadata":{"name":"b\\x","resourceVersion":"1"}}'));
    store.item(raw('{"metadata":{"name":"c","uid":"\\x","resourceVersion":"1"}}'));
    store.item(scanned(aWidget({ name: "good", spec: { color: "red", size: 3 } })));
    store.end("5");
    store.change("MODIFIED", raw('{"metadata":{"name":"c","resourceVersion":"\\x"}}'));
    feed.change("ADDED", aWidget({ name: "next", resourceVersion: "6" }));

    expect(store.synced).to.equal(true);
    expect([...store.keys()].sort()).to.deep.equal(["bad", "default/good", "default/next"]);
    expect(store.get("bad")).to.equal(undefined);
    expect(store.list().map(({ metadata }) => metadata.name)).to.deep.equal(["good", "next"]);
    expect(store.keysByIndex("color", "red")).to.deep.equal(["default/good"]);
    expect(store.valueOf("default/good", "size")).to.equal("3");
    expect(store.stats.malformed).to.equal(4);
    expect(errors.filter((each) => each.startsWith("left out"))).to.have.length(3);
  });

  it("holds objects of 1.5 MB and more, and gives their bytes back", () => {
    const { store, feed } = aStore({ parsedBytes: 0 });
    const note = "é".repeat(1_500_000);
    const large = aWidget({ name: "large", spec: { note } });
    const next = aWidget({ name: "large", resourceVersion: "2", spec: { note: `${note}!` } });

    feed.list([large, ...widgets("small")], "1");
    const first = store.get("default/large");
    feed.change("MODIFIED", next);
    const second = store.get("default/large");
    const { allocated } = store.stats;
    feed.change("DELETED", aWidget({ name: "large", resourceVersion: "3" }));

    expect(first).to.deep.equal(large);
    expect(second).to.deep.equal(next);
    expect(allocated).to.be.below(4_000_000); // one state of 3 MB, not both
    expect(store.stats.allocated).to.be.below(1_000_000);
    expect(store.get("default/small")).to.not.equal(undefined);
  });

  it("takes escaped keys and names for what they stand for, and the last of keys that are twice", async () => {
    const { store } = aStore({ freeze: false });
    await store.addColumns([
      { name: "spec.color" },
      { name: "tier", path: "metadata.labels.tier" },
      { name: "same", from: ({ spec }) => spec?.color },
    ]);
    const text =
      '{"metadata":{"name":"x","labels":{"tier":"front"}},"spec":{"color":"red"},' +
      '"m\\u0065tadata":{"n\\u0061me":"a\\u002db","uid":"\\u0041","resourceVersion":"\\u0037",' +
      '"labels":{"ti\\u0065r":"\\u0062ack"}},"spec":{"color":"pink","c\\u006flor":"b\\u006cue"}}';

    store.begin();
    store.item(raw(text));
    store.end("9");

    const [key = ""] = store.keys();
    const parsed = JSON.parse(text);
    expect(key).to.equal("a-b");
    expect([store.uidOf(key), store.resourceVersionOf(key)]).to.deep.equal(["A", "7"]);
    expect(store.get(key)?.spec).to.deep.equal(parsed.spec);
    expect(["spec.color", "tier", "same"].map((name) => store.valueOf(key, name))).to.deep.equal([
      "blue",
      "back",
      "blue",
    ]);
    expect(store.query({ filter: { labels: "tier=back" } }).total).to.equal(1);
  });

  it("adds all of some columns or none", async () => {
    const { store, feed } = aStore();
    feed.list(widgets("a"), "1");
    const adding = (): unknown => store.addColumns([{ name: "spec.color" }, { name: "id" }]);

    expect(adding).to.throw("column id is built in");
    expect(() => store.counts("spec.color")).to.throw("no column spec.color");
  });

  it("ends the functions of columns that throw, and nothing else", async () => {
    const { store, feed, errors } = aStore();
    await store.addColumns([
      {
        name: "broken",
        from: () => {
          throw new Error("broken column");
        },
      },
      { name: "spec.color" },
    ]);

    feed.list([aWidget({ name: "a", spec: { color: "red" } })], "1");

    expect(store.valueOf("default/a", "broken")).to.equal(undefined);
    expect(store.valueOf("default/a", "spec.color")).to.equal("red");
    expect(errors).to.have.length(1);
  });

  for (const seed of [1, 2, Date.now() % 1_000_000]) {
    it(`reads columns of random JSON as JSON.parse does (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const { store } = aStore({ freeze: false });
      const paths = ["spec", "status", "metadata.labels", "spec.a", "a[0]", "metadata.name"];
      await store.addColumns(paths.map((path) => ({ name: `path:${path}`, path })));
      await store.addColumns([{ name: "all", from: (object) => JSON.stringify(object) }]);
      let taken = 0;

      for (let round = 0; round < 200; round++) {
        const text = Buffer.from(randomObject(random));
        const found = scanObject(text, 0, text.length);
        if (found === undefined) continue;
        store.change("ADDED", found);
        taken++;
      }

      expect(taken).to.be.greaterThan(20);
      for (const key of store.keys()) {
        const bytes = store.raw(key) ?? Buffer.alloc(0);
        const object = parseJsonExactly(bytes, 0, bytes.length);
        for (const path of paths) {
          const expected = toText(valueAt(object, parsePath(path)));
          expect(store.valueOf(key, `path:${path}`)).to.equal(expected);
        }
        expect(store.valueOf(key, "all")).to.equal(JSON.stringify(store.get(key)));
      }
    });
  }

  it("gives integers that doubles round to functions that ask for them, and to paths", async () => {
    for (const keep of ["objects", "columns"] as const) {
      const { store } = aStore({ keep });
      const size = ({ spec }: Widget): unknown => spec?.size;
      await store.addColumns([
        { name: "exact", from: size, exact: true },
        { name: "rounded", from: size },
        ...[{ name: "spec.size" }, { name: "number", path: "spec.size", type: "number" } as const],
        { name: "kinds", from: ({ kind, spec }) => [kind, typeof spec?.size], exact: true },
      ]);

      for (const [name, number] of [
        ["a", "9007199254740993"],
        ["b", "7"],
      ] as const) {
        const text = JSON.stringify(aWidget({ name, spec: { size: 0 } }));
        store.change("ADDED", scannedText(text.replace('"size":0', `"size":${number}`)));
      }

      const found = (key: string): unknown =>
        ["exact", "rounded", "spec.size", "number", "kinds"].map((name) =>
          store.valueOf(key, name),
        );
      expect(found("default/a")).to.deep.equal([
        ...["9007199254740993", "9007199254740992", "9007199254740993", 9007199254740993n],
        "Widget|bigint",
      ]);
      expect(found("default/b")).to.deep.equal(["7", "7", "7", 7, "Widget|number"]);
    }
  });

  it("reads integers that doubles round into columns that come later", async () => {
    const { store } = aStore();
    const text = JSON.stringify(aWidget({ name: "a", spec: { size: 0 } }));
    store.change("ADDED", scannedText(text.replace('"size":0', '"size":9007199254740993')));
    const exact = { name: "size", type: "number", exact: true } as const;
    const from = ({ spec }: Widget): unknown => spec?.size;

    await store.addColumns([{ ...exact, from }]);

    expect(store.valueOf("default/a", "size")).to.equal(9007199254740993n);
    expect(typeof store.get("default/a")?.spec?.size).to.equal("number");
    expect(() => store.addColumns([{ ...exact, from, exact: false }])).to.throw("another column");
  });

  it("takes an object that is huge and one that is deep", () => {
    const { store } = aStore({ freeze: false });
    for (const [name, value] of [
      ["huge", JSON.stringify("x".repeat(3_000_000))],
      ["deep", "[".repeat(1000) + "]".repeat(1000)],
    ]) {
      store.change("ADDED", raw(`{"metadata":{"name":"${name}"},"spec":${value}}`));
    }

    expect(store.raw("huge")).to.have.length.greaterThan(3_000_000);
    expect(JSON.stringify(store.get("deep")?.spec)).to.have.length(2000);
  });
});

/** What stands at a path of a parsed object. */
function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value = object;
  for (const step of path) {
    const fits = typeof step === "number" ? Array.isArray(value) : !Array.isArray(value);
    if (typeof value !== "object" || value === null || !fits) return undefined;
    value = Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined;
  }
  return value;
}

describe("the bytes of a store", () => {
  it("are those of what it shows, whatever came and went", async () => {
    const { store, feed } = aStore({ managedFields: "cold" });
    const sized = (name: string, resourceVersion: string): Widget =>
      aWidget({ name, resourceVersion, spec: { note: "x".repeat(Number(resourceVersion)) } });
    const shown = (): number =>
      [...store.keys()].reduce((sum, key) => sum + (store.raw(key)?.length ?? 0), 0);

    feed.list(
      ["a", "b", "c", "d"].map((name) => sized(name, "10")),
      "10",
    );
    feed.change("MODIFIED", sized("a", "11"));
    feed.change("DELETED", sized("b", "12"));
    feed.change("MODIFIED", {
      ...sized("c", "13"),
      metadata: { ...sized("c", "13").metadata, uid: "x" },
    });
    const afterChanges = store.stats.bytes - shown();
    feed.list([sized("a", "11"), sized("e", "20")], "21");
    store.heal("default/e", undefined);
    store.heal("default/a", scanned(sized("a", "22")));

    expect(afterChanges).to.equal(0);
    expect([...store.keys()]).to.deep.equal(["default/a"]);
    expect(store.stats.bytes).to.equal(shown());
  });
});

describe("a store that is disposed", () => {
  it("lets everybody who waits know, and holds nothing", async () => {
    const { store, feed } = aStore();
    const synced = store.whenSynced().catch((error: Error) => error.message);
    feed.broken(widgets("a b"));
    const reached = store.waitFor("5");

    store.dispose();
    store.dispose();

    expect(await synced).to.equal("the cache of widgets.example.com was disposed");
    expect(await reached).to.equal(false);
    expect(await store.waitFor("5")).to.equal(false);
    expect(store.size).to.equal(0);
    expect(process.getActiveResourcesInfo()).to.not.include("Immediate");
  });

  for (const [name, dispose] of Object.entries<(world: ReturnType<typeof aStore>) => void>({
    "before anything came": ({ store }) => store.dispose(),
    "in the middle of its first list": ({ store, feed }) => {
      feed.broken(widgets("a b"));
      store.dispose();
    },
    "in the middle of a later list": ({ store, feed }) => {
      feed.list(widgets("a b"), "1");
      feed.broken(widgets("a"));
      store.dispose();
    },
    "in the middle of a sweep": ({ store, feed }) => {
      feed.list(
        Array.from({ length: 1000 }, (_, n) => aWidget({ name: `w-${n}` })),
        "1",
      );
      feed.list([], "2");
      store.dispose();
    },
    "by a listener, in a list": ({ store, feed }) => {
      store.subscribe(() => store.dispose());
      feed.broken(widgets("a b"));
    },
    "by a listener, at the end of a list": ({ store, feed }) => {
      feed.list(widgets("a b c"), "1");
      store.subscribe(() => store.dispose());
      feed.list([], "2");
    },
    "by a listener, in a change": ({ store, feed }) => {
      feed.list(widgets("a b"), "1");
      store.subscribe(() => store.dispose());
      feed.change("MODIFIED", aWidget({ name: "a", resourceVersion: "2" }));
    },
    "by a listener, while one object takes the name of another": ({ store, feed }) => {
      feed.list(widgets("a b"), "1");
      store.subscribe(() => store.dispose());
      feed.change("MODIFIED", aWidget({ name: "a", uid: "other", resourceVersion: "2" }));
    },
  })) {
    it(`holds nothing and takes nothing more when it goes ${name}`, async () => {
      const world = aStore({ managedFields: "cold" });
      const { store, feed, background, told } = world;
      await store.addColumns([{ name: "spec.color" }, { name: "spec.note", type: "text" }]);
      await store.addIndex("color", ({ spec }) => [spec?.color ?? ""]);
      store.keepHistory();
      const listed = store.listed;
      dispose(world);
      told.length = 0;

      store.item(scanned(aWidget({ name: "late" })));
      store.end("5");
      store.bookmark("6");
      feed.list(widgets("later"), "7");
      feed.change("ADDED", aWidget({ name: "latest", resourceVersion: "8" }));
      store.heal("default/healed", scanned(aWidget({ name: "healed" })));
      store.keepHistory();

      const { size, stats } = store;
      const { bytes, allocated, cold, columns, orders } = stats;
      const held = { size, bytes, allocated, cold, columns, orders, jobs: background.size };
      expect(Object.values(held), JSON.stringify(held)).to.deep.equal(Array(7).fill(0));
      expect(told).to.deep.equal([]);
      expect(store.counts("metadata.namespace")).to.deep.equal(new Map());
      expect(store.changesSince("1")).to.equal(undefined);
      expect(store.query({})).to.deep.include({ keys: [], total: 0 });
      expect(await store.waitFor("1")).to.equal(false);
      await listed;
      await store.listed;
    });
  }

  it("leaves nothing on the signals of those who waited", async () => {
    const { store, feed } = aStore();
    const { signal } = new AbortController();
    const synced = store.whenSynced(signal);
    const during = getEventListeners(signal, "abort").length;

    feed.list([], "1");
    await synced;
    await store.whenSynced(signal);

    expect(during).to.equal(1);
    expect(getEventListeners(signal, "abort")).to.deep.equal([]);
  });

  it("rejects waiters with their signal's reason before that", async () => {
    const { store } = aStore();
    const stop = new AbortController();
    const waiting = store.whenSynced(stop.signal).catch((reason: unknown) => reason);

    stop.abort("enough");

    expect(await waiting).to.equal("enough");
    expect(await store.whenSynced(stop.signal).catch((reason: unknown) => reason)).to.equal(
      "enough",
    );
    store.dispose();
  });
});
