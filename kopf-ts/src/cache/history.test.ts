import { expect } from "chai";
import type { ChangeType } from "../watch/index.ts";
import { aWidget, Feed, Widget } from "./fixtures.ts";
import type { HistoryLimits } from "./history.ts";
import { Store } from "./store.ts";

function aStore(limits?: HistoryLimits): { store: Store<Widget>; feed: Feed } {
  const store = new Store(Widget);
  store.keepHistory(limits);
  const feed = new Feed(store);
  feed.list([aWidget({ name: "a", resourceVersion: "9", spec: { size: 9 } })], "10");
  return { store, feed };
}

function change(feed: Feed, type: ChangeType, name: string, revision: number): void {
  feed.change(type, aWidget({ name, resourceVersion: String(revision), spec: { size: revision } }));
}

/** Bytes of the states that a store shows. */
function sizeOf(store: Store): number {
  return [...store.keys()].reduce((sum, key) => sum + (store.raw(key)?.length ?? 0), 0);
}

/** What is told after a resourceVersion, in short. */
function told(
  store: Store,
  resourceVersion: string,
  timeline?: number,
): readonly string[] | undefined {
  const sizeOf = (bytes: Buffer | undefined): string =>
    bytes === undefined ? "-" : JSON.parse(String(bytes)).spec.size;
  return store
    .changesSince(resourceVersion, timeline)
    ?.map(
      ({ type, key, resourceVersion: at, object, previous }) =>
        `${at} ${type} ${key.split("/")[1]} ${sizeOf(previous)}>${sizeOf(object)}`,
    );
}

describe("the history of a cache", () => {
  it("answers who comes back with what they missed, states before and after", () => {
    const { store, feed } = aStore();

    change(feed, "MODIFIED", "a", 11);
    change(feed, "ADDED", "b", 12);
    change(feed, "MODIFIED", "b", 14);
    change(feed, "DELETED", "a", 15);

    expect(told(store, "10")).to.deep.equal([
      "11 MODIFIED a 9>11",
      "12 ADDED b ->12",
      "14 MODIFIED b 12>14",
      "15 DELETED a ->15",
    ]);
    expect(told(store, "13")).to.deep.equal(["14 MODIFIED b 12>14", "15 DELETED a ->15"]);
    expect(told(store, "15")).to.deep.equal([]);
  });

  it("leaves out nothing before an object that was replaced unseen", () => {
    const { store, feed } = aStore();
    change(feed, "ADDED", "b", 11);
    change(feed, "MODIFIED", "b", 12);
    const metadata = { name: "a", uid: "another", resourceVersion: "13" };
    feed.change("MODIFIED", aWidget({ ...metadata, spec: { size: 13 } }));

    expect(told(store, "10")).to.deep.equal([
      "11 ADDED b ->11",
      "12 MODIFIED b 11>12",
      "13 ADDED a ->13",
    ]);
    expect(told(store, "12")).to.deep.equal(["13 ADDED a ->13"]);
  });

  it("says `too old` rather than leaving anything out", () => {
    const { store, feed } = aStore({ events: 2, bytes: 1e6 });
    for (const revision of [11, 12, 13, 14]) change(feed, "MODIFIED", "a", revision);

    expect(told(store, "9")).to.equal(undefined);
    expect(told(store, "11")).to.equal(undefined);
    expect(told(store, "12")).to.deep.equal(["13 MODIFIED a 12>13", "14 MODIFIED a 13>14"]);
  });

  it("is bounded by the bytes of states that were replaced, and gives them back", () => {
    const { store, feed } = aStore({ events: 1000, bytes: 2000 });

    for (let revision = 11; revision < 100; revision++) change(feed, "MODIFIED", "a", revision);

    const kept = store.changesSince(String(99 - 5))?.length;
    expect(kept).to.equal(5);
    expect(store.changesSince("80")).to.equal(undefined);
    expect(store.stats.bytes).to.be.below(2600);
  });

  it("begins anew after a list that found what no change had told", () => {
    const { store, feed } = aStore();
    change(feed, "MODIFIED", "a", 11);
    const same = aWidget({ name: "a", resourceVersion: "11" });

    feed.list([same], "12");
    const unbroken = told(store, "10");
    feed.list([same, aWidget({ name: "missed", resourceVersion: "13" })], "14");

    expect(unbroken).to.deep.equal(["11 MODIFIED a 9>11"]);
    expect(told(store, "11")).to.equal(undefined);
    expect(told(store, "14")).to.deep.equal([]);
  });

  it("begins anew after a list that missed what was there", () => {
    const { store, feed } = aStore();

    feed.list([], "12");

    expect(told(store, "10")).to.equal(undefined);
    expect(told(store, "12")).to.deep.equal([]);
  });

  it("begins anew after a list during which something went", () => {
    const { store, feed } = aStore();

    feed.broken([aWidget({ name: "a", resourceVersion: "9" })]);
    change(feed, "DELETED", "a", 12);
    store.end("13");

    expect(told(store, "10")).to.equal(undefined);
    expect(told(store, "13")).to.deep.equal([]);
  });

  it("is `too old` from the first difference that a list finds to its end", () => {
    const { store, feed } = aStore();

    feed.broken([aWidget({ name: "a", resourceVersion: "9" })]);
    const same = told(store, "10");
    feed.item(aWidget({ name: "missed", resourceVersion: "11" }));
    const during = told(store, "10");
    feed.broken([]);
    const broken = told(store, "10");
    feed.list([aWidget({ name: "missed", resourceVersion: "11" })], "12");
    change(feed, "ADDED", "b", 13);

    expect(same).to.deep.equal([]);
    expect(during).to.equal(undefined);
    expect(broken).to.equal(undefined);
    expect(told(store, "10")).to.equal(undefined);
    expect(told(store, "12")).to.deep.equal(["13 ADDED b ->13"]);
  });

  it("is `too old` while what a list does not have is swept, whatever changes meanwhile", async () => {
    const { store, feed } = aStore();
    const many = Array.from({ length: 1000 }, (_, n) => aWidget({ name: `w-${n}` }));
    feed.list(many, "20");
    feed.list([], "30");
    const answers = [told(store, "20")];
    change(feed, "ADDED", "b", 31);
    answers.push(told(store, "20"));
    store.subscribe(() => answers.push(told(store, "20")));

    await store.waitFor("31");
    change(feed, "MODIFIED", "b", 32);

    expect(new Set(answers.slice(0, -1))).to.deep.equal(new Set([undefined]));
    expect(told(store, "30")).to.equal(undefined);
    expect(told(store, "31")).to.deep.equal(["32 MODIFIED b 31>32"]);
  });

  it("begins anew after something was healed, for those who come from later", () => {
    const { store, feed } = aStore();
    change(feed, "ADDED", "b", 11);

    store.heal("default/a", undefined);
    const healed = [told(store, "10"), told(store, "11")];
    store.bookmark("11");
    healed.push(told(store, "11"));
    change(feed, "MODIFIED", "b", 12);
    change(feed, "MODIFIED", "b", 13);

    expect(healed).to.deep.equal([undefined, undefined, undefined]);
    expect(told(store, "11")).to.equal(undefined);
    expect(told(store, "12")).to.deep.equal(["13 MODIFIED b 12>13"]);
  });

  it("begins anew after a list that differs although the cache had come as far", () => {
    const { store, feed } = aStore();

    feed.list([aWidget({ name: "missed", resourceVersion: "8" })], "10");
    const listed = told(store, "10");
    store.bookmark("11");

    expect(listed).to.equal(undefined);
    expect(told(store, "10")).to.equal(undefined);
    expect(told(store, "11")).to.deep.equal([]);
  });

  it("begins with a first list that is empty", () => {
    const store = new Store(Widget);
    store.keepHistory();
    const feed = new Feed(store);

    feed.list([], "5");
    change(feed, "ADDED", "a", 6);

    expect(told(store, "4")).to.equal(undefined);
    expect(told(store, "5")).to.deep.equal(["6 ADDED a ->6"]);
  });

  it("gives back every byte of what is no longer kept", () => {
    const { store, feed } = aStore({ events: 3, bytes: 1e6 });
    for (const revision of [11, 12]) change(feed, "MODIFIED", "a", revision);
    change(feed, "ADDED", "b", 13);
    change(feed, "DELETED", "a", 14);
    for (const revision of [15, 16, 17]) change(feed, "ADDED", `c${revision}`, revision);
    change(feed, "DELETED", "c15", 18);
    for (const revision of [19, 20, 21]) change(feed, "ADDED", `c${revision}`, revision);

    expect(store.stats.bytes).to.equal(sizeOf(store));
  });

  it("knows nothing before the first list, or when it began after it", () => {
    const late = new Store(Widget);
    const feed = new Feed(late);
    feed.list([], "5");
    late.keepHistory();
    const early = new Store(Widget);
    early.keepHistory();

    expect(early.changesSince("1")).to.equal(undefined);
    expect(late.changesSince("4")).to.equal(undefined);
    expect(late.changesSince("5")).to.deep.equal([]);
    expect(new Store(Widget).changesSince("5")).to.equal(undefined);
  });

  for (const { how, isTold } of [
    { how: "the watch noticed", isTold: true },
    { how: "its list shows", isTold: false },
  ]) {
    it(`begins anew when the server was restored, as ${how}`, () => {
      const { store, feed } = aStore();
      const { timeline } = store;
      change(feed, "MODIFIED", "a", 20);

      if (isTold) store.state({ phase: "degraded", reason: "Restored", message: "m" });
      feed.list([aWidget({ name: "a", resourceVersion: "9", spec: { size: 9 } })], "12");
      change(feed, "MODIFIED", "a", 13);
      const early = told(store, "12");
      change(feed, "MODIFIED", "a", 21);
      change(feed, "MODIFIED", "a", 22);

      expect(store.timeline).to.not.equal(timeline);
      expect(early).to.deep.equal(["13 MODIFIED a 9>13"]);
      expect(told(store, "20", timeline), "to who followed it before").to.equal(undefined);
      expect(told(store, "20", store.timeline)).to.have.length(2);
      expect(told(store, "20"), "to who does not say").to.have.length(2);
    });
  }

  for (const revision of ["10", "12"])
    it(`begins anew also where the server was restored to revision ${revision}, and 10 had been told`, () => {
      const { store, feed } = aStore();
      const { timeline } = store;

      store.state({ phase: "degraded", reason: "Restored", message: "m" });
      feed.list([aWidget({ name: "a", resourceVersion: "9", spec: { size: 9 } })], revision);

      expect(store.timeline).to.not.equal(timeline);
      expect(told(store, "10", timeline)).to.equal(undefined);
      expect(told(store, revision)).to.deep.equal([]);
    });

  it("goes on over lists of a server that was not restored", () => {
    const { store, feed } = aStore();
    const { timeline } = store;

    feed.list([aWidget({ name: "a", resourceVersion: "9", spec: { size: 9 } })], "12");
    change(feed, "MODIFIED", "a", 13);

    expect(store.timeline).to.equal(timeline);
    expect(told(store, "10", timeline)).to.deep.equal(["13 MODIFIED a 9>13"]);
  });

  it("keeps as much as the one who wants most", () => {
    const { store, feed } = aStore({ events: 1, bytes: 100_000 });
    store.keepHistory({ events: 3, bytes: 10 });

    for (const revision of [11, 12, 13, 14]) change(feed, "MODIFIED", "a", revision);

    expect(told(store, "11")).to.have.length(3);
  });

  it("is refused where no bytes are kept", () => {
    expect(() => new Store(Widget, { keep: "columns" }).keepHistory()).to.throw("columns only");
  });
});
