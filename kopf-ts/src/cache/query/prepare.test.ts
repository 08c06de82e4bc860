import { expect } from "chai";
import { silentLogger } from "../../base/index.ts";
import { Background } from "../background.ts";
import { aWidget, Feed, longestTurn, Widget } from "../fixtures.ts";
import { Store } from "../store.ts";

/** A store of widgets whose names are not in their order. */
function aStore(size: number): { readonly store: Store<Widget>; readonly background: Background } {
  const background = new Background(silentLogger);
  const store = new Store(Widget, { background });
  const widgets = Array.from({ length: size }, (_, n) =>
    aWidget({ name: `w-${String((n * 7919) % size).padStart(6, "0")}` }),
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

  it("lets go of who waits when it is disposed", async () => {
    const { store, background } = aStore(20_000);

    const prepared = store.prepare(sort);
    store.dispose();
    await prepared;

    expect([background.size, store.stats.orders]).to.deep.equal([0, 0]);
  });
});
