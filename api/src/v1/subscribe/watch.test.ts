import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { Background, Store, silentLogger } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { scanObject } from "kopf-ts/watch";
import type { Access } from "../access/access.ts";
import { CachedItems } from "../items/index.ts";
import { whole } from "../items/shape.ts";
import { accessOf, allTypes, configMaps } from "../items/testing.test.support.ts";
import { ClusterWatches, WatchShares } from "./cluster-watches.ts";
import { notifierFor } from "./debounce.ts";
import type { Frame } from "./frame.ts";
import { unsaid } from "./message.ts";
import type { Watch } from "./watch.ts";
import type { Told } from "./websockets.test.support.ts";

const both = accessOf({ ours: ["list configmaps"], theirs: ["list configmaps"] });
const ours = accessOf({ ours: ["list configmaps"] });
const all = accessOf({ "": ["list configmaps"] });

/** A cache of ConfigMaps that has come to revision 4, somebody who sees two of its namespaces, and what they are told. */
class Bed {
  readonly told: string[] = [];
  readonly #shares = new WatchShares({ log: silentLogger });
  readonly #background = new Background(silentLogger);
  readonly #store = new Store(configMaps.kind, { background: this.#background });
  readonly #gone = new AbortController();
  #access: Access = both;

  constructor(more: readonly string[] = []) {
    this.#store.keepHistory();
    this.#store.begin();
    for (const key of ["ours/one", "theirs/one", "theirs/gone", ...more])
      this.#store.item(scanned(key, 1));
    this.#store.end("2");
    this.change("DELETED", "theirs/gone", 3);
    this.change("MODIFIED", "ours/one", 4);
  }

  change(type: "ADDED" | "MODIFIED" | "DELETED", key: string, revision: number): void {
    this.#store.change(type, scanned(key, revision));
  }

  /** The server was put back from a backup, and has these objects. */
  restore(objects: Readonly<Record<string, number>>, revision: number): void {
    this.#store.state({ phase: "degraded", reason: "Restored", message: "m" });
    this.#store.begin();
    for (const [key, at] of Object.entries(objects)) this.#store.item(scanned(key, at));
    this.#store.end(String(revision));
  }

  /** What a list tells as its revision. */
  get revision(): string {
    return this.#store.resourceVersion;
  }

  /** Opens a watch; it is to be started. */
  open(resourceVersion = "", mode: "" | "resource.changes" = ""): Promise<Watch> {
    const clock = fakeClock();
    const collection = {
      ...{ type: configMaps, cache: this.#store, gone: this.#gone.signal },
      ...{ need: async () => undefined, follow: () => ended, ...ended },
    };
    const watches = new ClusterWatches(
      {
        ...{ types: allTypes, items: new CachedItems({ types: allTypes }), clock },
        ...{ log: silentLogger, collections: { use: async () => collection } },
      },
      this.#shares,
    );
    const message = { ...unsaid, resourceType: "configmap", resourceVersion, mode };
    const outlet = this.#outlet;
    return watches.open(
      {
        ...{ message, revision: resourceVersion, caller: { username: "u", groups: [] } },
        ...{ base: "https://host", shape: whole, outlet, access: () => this.#access },
        notifier: notifierFor(message, outlet, clock),
        onStart: () => this.told.push("start"),
        onEnd: (error) => this.told.push(...(error === undefined ? [] : [error]), "stop"),
      },
      signal,
    );
  }

  /** As a session does, and whoever serves several clusters. */
  changeRights(access: Access, watch?: Watch): void {
    this.#access = access;
    watch?.accessChanged(access);
  }

  typeGoes(): void {
    this.#gone.abort();
  }

  /** The subscriber does not read for a while. */
  fill(): void {
    this.#outlet.isFull = true;
  }

  drain(): void {
    this.#outlet.isFull = false;
    for (const resume of this.#outlet.waiting.splice(0)) resume();
  }

  /** Resolves when nothing is left to be told. */
  settled(): Promise<unknown> {
    return eventually(() => this.#background.size + this.#shares.background.size === 0);
  }

  readonly #outlet = {
    isFull: false,
    waiting: [] as (() => void)[],
    whenDrained: (resume: () => void) => void this.#outlet.waiting.push(resume),
    send: ({ plain }: Frame): void => {
      const { name, data }: Told = JSON.parse(String(plain.subarray(plain.indexOf('{"name"'))));
      this.told.push([name.replace("resource.", ""), data.id ?? ""].join(" ").trim());
    },
  };
}

const ended: Disposable = { [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();

function scanned(key: string, revision: number): NonNullable<ReturnType<typeof scanObject>> {
  const [namespace, name] = key.split("/");
  const metadata = { name, namespace, uid: key, resourceVersion: String(revision) };
  const bytes = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }));
  const object = scanObject(bytes, 0, bytes.length);
  if (object === undefined) throw new Error("the scanner does not trust the fixture");
  return object;
}

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
    ["tells those who want notifications that alone", "2", "resource.changes", ours, ["changes"]],
    ["tells nothing of what can be seen now", "2", "", all, []],
  ] as const) {
    it(`${title}, between a start and a stop`, async () => {
      const bed = new Bed();
      const watch = await bed.open(revision, mode);

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
      const watch = await bed.open(revision);

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
    const watch = await bed.open("2");

    bed.changeRights(ours);
    await watch.start(signal);
    await bed.settled();

    const removed = ["remove theirs/one", "remove theirs/gone"];
    expect(bed.told).to.deep.equal(["start", ...removed, "stop"]);
  });

  it("waits for its revision all the same", async () => {
    const bed = new Bed();
    const watch = await bed.open("5");
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
    const watch = await bed.open("2");

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
    const watch = await bed.open("1");

    bed.changeRights(ours, watch);
    await watch.start(signal);
    await bed.settled();

    expect(bed.told).to.deep.equal(["resourceversion too old", "stop"]);
  });
});

describe("a watch whose type goes before it has begun", () => {
  it("begins and ends", async () => {
    const bed = new Bed();
    const watch = await bed.open("5");
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
    const watch = await bed.open("", "resource.changes");
    await watch.start(signal);
    for (const revision of [5, 6]) {
      bed.change("MODIFIED", "ours/one", revision);
      await bed.settled();
    }
    const before = [...bed.told];

    bed.typeGoes();

    expect(before).to.deep.equal(["start", "changes"]);
    expect(bed.told).to.deep.equal(["start", "changes", "changes", "stop"]);
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
      const watch = await bed.open();
      await watch.start(signal);
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
    const watch = await bed.open();
    await watch.start(signal);
    bed.fill();
    bed.change("MODIFIED", "ours/one", 5);
    await bed.settled();

    bed.restore(restored, 2);
    await bed.settled();
    for (const revision of [3, 4, 5, 6, 7]) {
      bed.change("MODIFIED", "ours/one", revision);
      await bed.settled();
    }
    bed.drain();
    await bed.settled();

    expect(bed.told).to.deep.equal(["start", "resourceversion too old", "stop"]);
  });

  it("begins at the revision that lists tell then", async () => {
    const bed = new Bed();
    bed.restore(restored, 2);
    bed.change("MODIFIED", "ours/one", 3);

    const watch = await bed.open(bed.revision);
    await watch.start(signal);
    bed.change("ADDED", "ours/new", 4);
    await bed.settled();

    expect(bed.told).to.deep.equal(["start", "create ours/new"]);
  });

  describe("and has lost more than is taken away at once", () => {
    const many = Array.from({ length: 12_000 }, (_, i) => `ours/many-${i}`);
    const removed = [...many, "theirs/one"].map((key) => `remove ${key}`);

    for (const [title, upTo] of [
      ["and what changes meanwhile", 4],
      ["also when the server is not as far as before for long", 1_000],
    ] as const) {
      it(`tells all of it, ${title}`, async () => {
        const bed = new Bed(many);
        bed.change("MODIFIED", "ours/one", upTo);
        const watch = await bed.open();
        await watch.start(signal);

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
      const watch = await bed.open();
      await watch.start(signal);

      bed.restore(restored, 2);
      bed.fill();
      await bed.settled();
      for (const revision of [3, 4, 5, 6]) bed.change("MODIFIED", "ours/one", revision);
      bed.drain();
      await bed.settled();

      expect(bed.told.slice(-2)).to.deep.equal(["resourceversion too old", "stop"]);
    });
  });
});
