import { expect } from "chai";
import { silentLogger } from "../../base/index.ts";
import { longestTurn } from "../../testing/index.ts";
import { Background } from "../background.ts";
import { aWidget, Feed, Widget } from "../fixtures.ts";
import { Store } from "../store.ts";

/** A store of widgets whose names are not in their order. */
function aStore(
  size: number,
  labelsOf?: (n: number) => Readonly<Record<string, string>>,
): { readonly store: Store<Widget>; readonly background: Background } {
  const background = new Background(silentLogger);
  const store = new Store(Widget, { background });
  const widgets = Array.from({ length: size }, (_, n) =>
    aWidget({
      name: `w-${String((n * 7919) % size).padStart(6, "0")}`,
      ...(labelsOf && { labels: labelsOf(n) }),
    }),
  );
  new Feed(store).list(widgets, "1");
  return { store, background };
}

const sort = [{ column: "metadata.name", descending: true }];

describe("a large cache that is asked for everything", () => {
  it("tells a thousand keys unless told, and how many there are", () => {
    const { store } = aStore(3_000);

    const first = store.query({ sort });
    const all = store.query({ sort, limit: Number.POSITIVE_INFINITY });

    expect(first).to.deep.include({ total: 3_000, keys: all.keys.slice(0, 1_000) });
    expect(all.keys).to.have.length(3_000);
  });

  it("sorts in the background before it is asked", async () => {
    const { store, background } = aStore(20_000);

    const longest = await longestTurn(() => store.prepare(sort));
    const jobs = background.size;
    const { keys } = store.query({ sort, limit: Number.POSITIVE_INFINITY });

    expect(longest).to.be.lessThan(50);
    expect([jobs, background.size, store.stats.orders]).to.deep.equal([0, 0, 1]);
    expect([keys[0], keys[19_999]]).to.deep.equal(["default/w-019999", "default/w-000000"]);
  });

  it("sorts a small cache when it is asked, and refuses what it could not sort by", async () => {
    const { store } = aStore(10);

    await store.prepare();
    const refused = await store.prepare([{ column: "spec.other" }]).catch(String);

    expect(store.stats.orders).to.equal(0);
    expect(refused).to.equal("Error: no column spec.other");
  });

  for (const filter of [
    { labels: "app=app-7" },
    { column: "metadata.labels[app]", op: "=", value: "app-7" },
    { any: [{ not: { all: [{ labels: "number" }] } }, { labels: "app notin (app-1,app-2),app" }] },
  ] as const) {
    it(`reads labels in the background before it is asked for ${JSON.stringify(filter)}`, async () => {
      const size = 60_000;
      const { store, background } = aStore(size, (n) => ({ app: `app-${n % 50}`, number: `${n}` }));
      const other = aStore(size, (n) => ({ app: `app-${n % 50}`, number: `${n}` })).store;

      const longest = await longestTurn(() => store.prepareFilter(filter));
      void store.prepareFilter(filter); // there is nothing left to do
      const jobs = background.size;
      const asked = await longestTurn(async () => {
        store.query({ filter, limit: 0 });
        await new Promise(setImmediate);
      });

      expect(longest).to.be.lessThan(50);
      expect(asked).to.be.lessThan(50);
      expect(jobs).to.equal(0);
      expect(store.query({ filter })).to.deep.equal(other.query({ filter }));
    });
  }

  it("asks nothing beforehand that is no matter of labels, and refuses a selector that is none", async () => {
    const { store, background } = aStore(3_000);

    const jobs = store.prepareFilter({ column: "id", op: "=", value: "x" });
    const refused = await store.prepareFilter({ all: [{ labels: "a in b" }] }).catch(String);

    expect(background.size).to.equal(0);
    expect(refused).to.match(/^SelectorError/);
    await jobs;
  });

  it("lets go of who waits when it is disposed", async () => {
    const { store, background } = aStore(20_000);

    const prepared = [store.prepare(sort), store.prepareFilter({ labels: "a" })];
    store.dispose();
    await Promise.all(prepared);

    expect([background.size, store.stats.orders]).to.deep.equal([0, 0]);
  });
});
