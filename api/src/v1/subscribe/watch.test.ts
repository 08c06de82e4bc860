import { expect } from "chai";
import { accessOf } from "../items/testing.test.support.ts";
import { all, atOnce, Bed, both, none, ours, signal } from "./fed-cache.test.support.ts";

describe("a watch whose subscriber gets other rights before it has begun", () => {
  for (const [title, revision, mode, rights, expected] of [
    ["tells what can no longer be seen", "", "", ours, ["remove theirs/one"]],
    [
      "tells also what went since its revision",
      "2",
      "",
      ours,
      ["remove theirs/one", "remove theirs/gone"],
    ],
    ["tells those who want notifications that alone", "2", "resource.changes", ours, ["changes 4"]],
    ["tells nothing of what can be seen now", "2", "", all, []],
  ] as const) {
    it(`${title}, between a start and a stop`, async () => {
      const bed = new Bed();
      const watch = await bed.open({ revision, mode });

      bed.changeRights(rights, watch);
      await bed.settled();
      const before = [...bed.told];
      await watch.start(signal);
      await bed.settled();

      expect(before).to.deep.equal([]);
      expect(bed.told).to.deep.equal(["start", ...expected, "stop"]);
    });
  }

  for (const revision of ["", "2"]) {
    it(`tells nothing of what came meanwhile, ${revision === "" ? "from now on" : "from a revision on"}`, async () => {
      const bed = new Bed();
      const watch = await bed.open({ revision });

      bed.changeRights(ours, watch);
      bed.change("ADDED", "theirs/secret", 5);
      bed.change("ADDED", "theirs/brief", 6);
      bed.change("DELETED", "theirs/brief", 7);
      await watch.start(signal);
      await bed.settled();

      expect(bed.told).to.include("remove theirs/one");
      expect(bed.told.filter((text) => /secret|brief/.test(text))).to.deep.equal([]);
    });
  }

  it("asks for them when it is started", async () => {
    const bed = new Bed();
    const watch = await bed.open({ revision: "2" });

    bed.changeRights(ours);
    await watch.start(signal);
    await bed.settled();

    const removed = ["remove theirs/one", "remove theirs/gone"];
    expect(bed.told).to.deep.equal(["start", ...removed, "stop"]);
  });

  it("waits for its revision all the same", async () => {
    const bed = new Bed();
    const watch = await bed.open({ revision: "5" });
    const started = watch.start(signal);

    bed.changeRights(ours, watch);
    await bed.settled();
    const before = [...bed.told];
    bed.change("MODIFIED", "theirs/one", 5);
    await started;
    await bed.settled();

    expect(before).to.deep.equal([]);
    expect(bed.told).to.deep.equal(["start", "remove theirs/one", "stop"]);
  });

  it("goes on from its revision where it has its rights back by then", async () => {
    const bed = new Bed();
    const watch = await bed.open({ revision: "2" });

    for (const rights of [ours, both]) bed.changeRights(rights, watch);
    await watch.start(signal);
    await bed.settled();
    bed.change("MODIFIED", "theirs/one", 5);
    await bed.settled();

    expect(bed.told).to.deep.equal([
      ...["start", "remove theirs/gone", "change ours/one", "change theirs/one"],
    ]);
  });

  it("has no start where its revision is too old", async () => {
    const bed = new Bed();
    const watch = await bed.open({ revision: "1" });

    bed.changeRights(ours, watch);
    await watch.start(signal);
    await bed.settled();

    expect(bed.told).to.deep.equal(["resourceversion too old", "stop"]);
  });
});

describe("a watch whose subscriber gets other rights", () => {
  const alike = { ours: ["list configmaps", "list secrets"] };

  for (const [title, rights, more, looks] of [
    ["tells what can no longer be seen by the last of them", none, ["remove ours/one"], 2],
    ["looks once where the last make no difference", accessOf(alike), [], 1],
  ] as const)
    it(title, async () => {
      const bed = new Bed();
      const watch = await bed.watch();
      bed.reader.onTold = (said) => {
        if (said === "remove theirs/one") atOnce(() => bed.changeRights(rights, watch));
      };

      bed.changeRights(ours, watch);
      await bed.settled();

      expect(bed.told).to.deep.equal(["start", "remove theirs/one", ...more, "stop"]);
      expect(bed.looks).to.equal(looks);
    });

  it("tells no name of what came since, also where the cache had to list anew by then", async () => {
    const bed = new Bed();
    const watch = await bed.watch();

    bed.changeRights(ours, watch);
    bed.list({ "ours/one": 4, "theirs/one": 1, "theirs/secret": 6 }, 7);
    await bed.settled();

    expect(bed.told).to.deep.equal(["start", "resourceversion too old", "stop"]);
  });

  it("tells nothing once it is closed", async () => {
    const bed = new Bed();
    const watch = await bed.watch({ mode: "resource.changes" });

    bed.changeRights(ours, watch);
    watch[Symbol.dispose]();
    await bed.settled();

    expect(bed.told).to.deep.equal(["start"]);
  });
});

describe("a watch whose type goes before it has begun", () => {
  it("begins and ends", async () => {
    const bed = new Bed();
    const watch = await bed.open({ revision: "5" });
    const started = watch.start(signal);

    bed.typeGoes();
    bed.change("MODIFIED", "ours/one", 5);
    await started;

    expect(bed.told).to.deep.equal(["start", "stop"]);
  });
});

describe("a watch whose type goes", () => {
  it("tells of what nobody was notified of yet, before its end", async () => {
    const bed = new Bed();
    const watch = await bed.open({ mode: "resource.changes" });
    await watch.start(signal);
    for (const revision of [5, 6]) {
      bed.change("MODIFIED", "ours/one", revision);
      await bed.settled();
    }
    const before = [...bed.told];

    bed.typeGoes();

    expect(before).to.deep.equal(["start", "changes 5"]);
    expect(bed.told).to.deep.equal(["start", "changes 5", "changes 6", "stop"]);
  });
});
