import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { accessOf } from "../items/testing.test.support.ts";
import { atOnce, Bed, Reader } from "./fed-cache.test.support.ts";
import type { Watch } from "./watch.ts";

/** A list of so many takes several turns to be told, or taken away. */
const many = Array.from({ length: 12_000 }, (_, i) => `ours/many-${i}`);
/** As before, with a right that lists do not ask about. */
const alike = accessOf({
  ours: ["list configmaps", "list secrets"],
  theirs: ["list configmaps"],
});

describe("a watch whose cache had to list anew", () => {
  const few = many.slice(0, 3_000);
  const listed = Object.fromEntries([...few, "ours/one", "theirs/one"].map((key) => [key, 6]));

  /** In the middle of telling what a list has. */
  async function telling(): Promise<readonly [Bed, Watch]> {
    const bed = new Bed(few);
    const watch = await bed.watch();
    bed.list(listed, 7);
    while (bed.told.length < 2) await nextTurn();
    expect(bed.told).to.not.include("change ours/one");
    return [bed, watch];
  }

  it("tells what changes meanwhile once, as it is when its turn comes, and goes on", async () => {
    const [bed, watch] = await telling();

    for (const [revision, value] of ["a", "b", "c"].entries())
      bed.change("MODIFIED", "ours/one", 8 + revision, value);
    bed.change("DELETED", "theirs/one", 11);
    await bed.settled();
    bed.changeRights(alike, watch);
    bed.change("MODIFIED", "ours/one", 12, "d");
    bed.change("ADDED", "theirs/one", 13);
    await bed.settled();

    const told = bed.told.filter((each) => !each.includes("many"));
    expect(told).to.deep.equal([
      ...["start", "change ours/one c", "remove theirs/one"],
      ...["change ours/one d", "create theirs/one"],
    ]);
    expect(bed.told.filter((each) => each.includes("many"))).to.have.length(few.length);
  });

  it("tells who begins meanwhile what followed, and nothing of what they have listed", async () => {
    const [bed] = await telling();
    const late = new Reader();

    bed.change("MODIFIED", "ours/one", 8, "a");
    bed.change("DELETED", "ours/many-2999", 9);
    await bed.watch({ revision: "8", reader: late });
    while (late.told.length < 2) await nextTurn();
    await nextTurn();
    bed.change("MODIFIED", "ours/one", 10, "b");
    await bed.settled();
    bed.change("MODIFIED", "ours/one", 11, "c");
    await bed.settled();

    expect(late.told).to.deep.equal([
      ...["start", "remove ours/many-2999"],
      ...["change ours/one b", "change ours/one c"],
    ]);
  });
});

describe("a watch whose cache had to list anew, and that was told what has changed since", () => {
  const others = Array.from({ length: 300 }, (_, i) => `theirs/many-${i}`);
  const theirs = accessOf({ theirs: ["list configmaps"] });

  for (const [title, act] of [
    ["gets other rights", (bed: Bed, watch: Watch) => bed.changeRights(theirs, watch)],
    ["does not read", (bed: Bed) => bed.reader.fill()],
  ] as const)
    it(`is too old where the subscriber ${title}, since nobody knows from where it would go on`, async () => {
      const bed = new Bed(others);
      const watch = await bed.watch();
      bed.list(Object.fromEntries([...others, "theirs/one"].map((key) => [key, 6])), 7);
      const history = Promise.withResolvers<void>();
      bed.reader.onTold = (said) => {
        if (said === "change theirs/many-299") {
          bed.change("MODIFIED", "theirs/many-0", 8, "a");
          bed.change("ADDED", "ours/one", 9);
          bed.change("MODIFIED", "theirs/many-1", 10, "a");
        } else if (said === "change theirs/many-0 a") {
          atOnce(() => act(bed, watch));
          history.resolve();
        }
      };

      await history.promise;
      const told = [...bed.told];
      await bed.settled();

      expect(told).to.include("change ours/one");
      expect(bed.told.slice(told.length)).to.deep.equal(["resourceversion too old", "stop"]);
    });

  it("notifies of what a list has that differs before it is through", async () => {
    const bed = new Bed();
    await bed.watch({ mode: "resource.changes" });

    bed.beginList({ "ours/one": 6 });
    await bed.debounced();
    bed.endList(7);
    await bed.debounced();

    expect(bed.told).to.deep.equal(["start", "changes 6", "changes 7"]);
  });

  it("tells a selection what ceases to match before it was told that it is there", async () => {
    const bed = new Bed(others);
    await bed.watch();
    const selected = new Reader();
    const listed = [...others, "ours/one", "theirs/one", "ours/late"];

    bed.list(Object.fromEntries(listed.map((key) => [key, 6])), 7, "a");
    await bed.watch({ selector: "value=a", reader: selected });
    bed.reader.onTold = (said) => {
      if (said === "change theirs/many-0 a") bed.change("MODIFIED", "ours/late", 8, "b");
    };
    await bed.settled();

    expect(selected.told.at(-1)).to.equal("remove ours/late b");
  });
});

describe("a watch whose server is put back from a backup", () => {
  const restored = { "ours/one": 1, "theirs/gone": 1 };

  for (const [title, rest, changes] of [
    ["and each change at a revision that it had before", (bed: Bed) => bed.settled(), 1],
    ["also where the server has passed where it was by then", async () => undefined, 0],
  ] as const) {
    it(`tells what was lost and what came back, ${title}`, async () => {
      const bed = new Bed();
      await bed.watch();
      await bed.settled();

      bed.restore(restored, 2);
      await rest(bed);
      bed.change("MODIFIED", "ours/one", 3);
      await rest(bed);
      bed.change("ADDED", "ours/new", 5);
      await bed.settled();
      bed.change("ADDED", "ours/newer", 6);
      await bed.settled();

      expect(bed.told).to.deep.equal([
        ...["start", "change ours/one", "create theirs/gone", "remove theirs/one"],
        ...Array(changes).fill("change ours/one"),
        ...["create ours/new", "create ours/newer"],
      ]);
    });
  }

  it("is too old for who had not read all of what was lost", async () => {
    const bed = new Bed();
    await bed.watch();
    bed.reader.fill();
    bed.change("MODIFIED", "ours/one", 5);
    await bed.settled();

    bed.restore(restored, 2);
    await bed.settled();
    for (const revision of [3, 4, 5, 6, 7]) {
      bed.change("MODIFIED", "ours/one", revision);
      await bed.settled();
    }
    bed.reader.drain();
    await bed.settled();

    expect(bed.told).to.deep.equal(["start", "resourceversion too old", "stop"]);
  });

  it("tells nothing where nothing differs, and goes on", async () => {
    const bed = new Bed();
    const watch = await bed.watch();
    bed.change("ADDED", "ours/brief", 5);
    bed.change("DELETED", "ours/brief", 6);
    await bed.settled();

    bed.restore({ "ours/one": 4, "theirs/one": 1 }, 4);
    await bed.settled();
    bed.changeRights(alike, watch);
    await bed.settled();
    bed.change("MODIFIED", "ours/one", 5);
    await bed.settled();

    expect(bed.told).to.deep.equal([
      ...["start", "create ours/brief", "remove ours/brief"],
      "change ours/one",
    ]);
  });

  for (const [title, rest] of [
    ["", (bed: Bed) => bed.settled()],
    [", also where all is still to be told", async () => undefined],
  ] as const)
    it(`tells the new state of an object under a revision that had another before${title}`, async () => {
      const bed = new Bed();
      await bed.watch();
      bed.change("MODIFIED", "ours/one", 5, "lost");
      await nextTurn();

      bed.restore({ "ours/one": 4, "theirs/one": 1 }, 4);
      await rest(bed);
      bed.change("MODIFIED", "ours/one", 5, "new");
      await bed.settled();
      bed.change("MODIFIED", "ours/one", 6, "newer");
      await bed.settled();

      expect(bed.told.slice(-2)).to.deep.equal(["change ours/one new", "change ours/one newer"]);
      expect(bed.told.filter((each) => each.endsWith("new"))).to.have.length(1);
    });

  it("tells a change that is in hand as it was, also where its revision has another state by then", async () => {
    const bed = new Bed();
    await bed.watch();
    bed.reader.onTold = (said) => {
      if (said === "create ours/last") bed.restore({ "ours/one": 6 }, 6, "new");
    };

    bed.change("ADDED", "ours/last", 5);
    bed.change("MODIFIED", "ours/one", 6, "lost");
    await bed.settled();

    const told = bed.told.filter((each) => each.includes("ours/one"));
    expect(told).to.deep.equal(["change ours/one lost", "change ours/one new"]);
  });

  it("notifies of a revision that lists can be asked for", async () => {
    const bed = new Bed();
    await bed.watch({ mode: "resource.changes" });
    bed.change("ADDED", "ours/lost", 90);
    await bed.debounced();

    bed.restore({ "ours/one": 4, "theirs/one": 1 }, 10);
    await bed.debounced();

    expect(bed.told).to.deep.equal(["start", "changes 90", "changes 10"]);
  });

  for (const revision of [2, 4, 9])
    it(`begins at the revision that lists tell then, ${revision} after 4`, async () => {
      const bed = new Bed();
      bed.restore(restored, revision);

      await bed.watch({ revision: bed.revision });
      bed.change("ADDED", "ours/new", revision + 1);
      await bed.settled();

      expect(bed.told).to.deep.equal(["start", "create ours/new"]);
    });

  describe("and has lost more than is taken away at once", () => {
    const removed = [...many, "theirs/one"].map((key) => `remove ${key}`);

    for (const [title, upTo] of [
      ["and what changes meanwhile", 4],
      ["also when the server is not as far as before for long", 1_000],
    ] as const) {
      it(`tells all of it, ${title}`, async () => {
        const bed = new Bed(many);
        bed.change("MODIFIED", "ours/one", upTo);
        await bed.watch();

        bed.restore(restored, 2);
        for (const revision of [901, 902, 903, 904]) {
          bed.change("ADDED", `ours/new-${revision}`, revision);
          await nextTurn();
        }
        await bed.settled();
        bed.change("ADDED", "ours/last", 905);
        await bed.settled();

        const created = [901, 902, 903, 904].map((revision) => `create ours/new-${revision}`);
        const expected = ["start", "change ours/one", "create theirs/gone", ...removed, ...created];
        expect(bed.told.at(-1)).to.equal("create ours/last");
        expect(bed.told.slice(0, -1)).to.have.members(expected);
      });
    }

    it("is too old for who falls behind meanwhile", async () => {
      const bed = new Bed(many);
      await bed.watch();

      bed.restore(restored, 2);
      bed.reader.fill();
      await bed.settled();
      for (const revision of [3, 4, 5, 6]) bed.change("MODIFIED", "ours/one", revision);
      bed.reader.drain();
      await bed.settled();

      expect(bed.told.slice(-2)).to.deep.equal(["resourceversion too old", "stop"]);
    });
  });
});
