import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { Metrics } from "kopf-ts";
import { collected } from "kopf-ts/testing";
import { GzipBody } from "../pieces/gzip.ts";
import { at } from "../tree.ts";
import { isPacked, type PackedItem } from "./item.ts";
import { CachedItems, keptPieces } from "./items.ts";
import { asFirst } from "./packed.ts";
import {
  aContext,
  accessOf,
  allTypes,
  bytesOf,
  configMap,
  configMaps,
  managedFields,
  metadata,
  noon,
  pod,
  pods,
  read,
  type Sent,
  ServedCache,
  secrets,
  shape,
} from "./testing.test.support.ts";

/** Whether bytes are the very same, not just alike. */
function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one?.buffer === other?.buffer && one?.byteOffset === other?.byteOffset;
}

describe("items of a cache", () => {
  const podOf = (name: string, resourceVersion: string, phase: string): Sent => ({
    ...pod,
    metadata: { ...metadata, name, resourceVersion, managedFields },
    status: {
      phase,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-21T11:00:00Z" }],
    },
  });

  it("are what they are for the object itself", async () => {
    const objects = ["a", "b"].map((name) => podOf(name, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes });
    for (const query of [
      "",
      "exclude=metadata.managedFields",
      "include=metadata",
      "exclude=spec",
      "truncate=3",
    ]) {
      const context = aContext(pods, shape(query));
      for (const [index, object] of [...objects, ...objects].entries()) {
        const item = read(items.writer(context).ofKey(served.collection, `ns/${"abab"[index]}`));

        expect(item, query).to.deep.equal(read(items.writer(context).ofObject(bytesOf(object))));
      }
    }
  });

  it("have managedFields unless they are excluded", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const fieldsOf = (query: string): unknown =>
      at(
        read(items.writer(aContext(pods, shape(query))).ofKey(served.collection, "ns/a")),
        "metadata",
        "managedFields",
      );

    for (let turn = 0; turn < 2; turn++) {
      expect(fieldsOf("")).to.deep.equal(managedFields);
      expect(fieldsOf("exclude=metadata.managedFields")).to.equal(undefined);
      expect(fieldsOf("include=metadata.managedFields")).to.deep.equal(managedFields);
    }
  });

  it("show changes, and are gone with the object", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const stateNow = (): unknown => {
      const parts = items.writer(aContext(pods)).ofKey(served.collection, "ns/a");
      return parts && at(read(parts), "metadata", "state", "name");
    };

    expect(stateNow()).to.equal("running");
    await served.change(podOf("a", "1001", "Pending"), "1001");
    expect(stateNow()).to.equal("pending");
    await served.change(podOf("a", "1002", "Pending"), "1002", "DELETED");
    expect(stateNow()).to.equal(undefined);
  });

  it("are those of the bytes that the cache has, also where no resourceVersion tells of changes", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const phaseNow = (): unknown => {
      const parts = items.writer(aContext(pods)).ofKey(served.collection, "ns/a");
      return parts && at(read(parts), "status", "phase");
    };
    for (let turn = 0; turn < 3; turn++) expect(phaseNow()).to.equal("Running");

    void served.change(podOf("a", "", "Pending"), ""); // as long as before
    await served.change(podOf("b", "1001", "Running"), "1001", "ADDED");

    expect(phaseNow()).to.equal("Pending");
  });

  it("grow older without a change", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const ageAt = (now: number): unknown => {
      const item = read(items.writer(aContext(pods, { now })).ofKey(served.collection, "ns/a"));
      return at(item, "metadata", "fields", "4");
    };

    expect(ageAt(noon)).to.equal("60m");
    expect(ageAt(noon + 24 * 3_600_000)).to.equal("25h");
  });

  it("tell until when ages stay right, unless what was written has changed since", async () => {
    await using served = await ServedCache.start(pods, [
      podOf("a", "8", "Running"),
      { ...podOf("b", "9", "Running"), metadata: { ...metadata, name: "b" } },
    ]);
    const items = new CachedItems({ types: allTypes });
    const writer = items.writer(aContext(pods));
    const untilOf = (...keys: readonly string[]): number => writer.untilOf(served.collection, keys);

    expect(untilOf()).to.equal(Number.POSITIVE_INFINITY);
    expect(untilOf("ns/a"), "not written").to.equal(noon);
    writer.ofKey(served.collection, "ns/a");
    expect(untilOf("ns/a")).to.equal(noon + 60_000);
    expect(untilOf("ns/a", "ns/b"), "one not written").to.equal(noon);
    writer.ofKey(served.collection, "ns/b");
    expect(untilOf("ns/a", "ns/b")).to.equal(noon + 60_000);
    items.writer(aContext(pods, { now: noon + 90_000 })).ofKey(served.collection, "ns/a");
    expect(untilOf("ns/a", "ns/b"), "written for a later time").to.equal(noon);

    await served.change(podOf("b", "1001", "Pending"), "1001");
    expect(untilOf("ns/b")).to.equal(noon);
    const withRelease = items.writer(aContext(secrets, shape("includeHelmData=true")));
    expect(withRelease.untilOf(served.collection, [])).to.equal(noon);
  });

  it("take no more memory than they may", async () => {
    const objects = Array.from({ length: 50 }, (_, index) => podOf(`p${index}`, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const metrics = new Metrics({ process: false });
    const items = new CachedItems({
      types: allTypes,
      pieces: keptPieces({ bytes: 40_000, metrics }),
    });
    const writer = items.writer(aContext(pods));
    for (const key of served.cache.keys()) writer.ofKey(served.collection, key);

    expect(items.stats.bytes).to.be.within(1, 40_000);
    expect(await metrics.text()).to.contain(`drover_api_items_bytes ${items.stats.bytes}\n`);
    expect(items.stats.pieces).to.be.within(1, 20);
    expect(read(writer.ofKey(served.collection, "ns/p0"))).to.include({ id: "ns/p0" });
  });

  it("count their managedFields once somebody wanted them", async () => {
    await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
    const items = new CachedItems({ types: allTypes });
    const bytesAfter = (query: string): number => {
      items.writer(aContext(pods, shape(query))).ofKey(served.collection, "ns/a");
      return items.stats.bytes;
    };

    const without = bytesAfter("exclude=metadata.managedFields");
    expect(bytesAfter("")).to.be.at.least(without + JSON.stringify(managedFields).length);
  });

  it("are found again by those who walk through more than fits", async () => {
    const objects = Array.from({ length: 50 }, (_, index) => podOf(`p${index}`, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes, pieces: keptPieces({ bytes: 180_000 }) });
    const walk = (): readonly (Uint8Array | undefined)[] => {
      const writer = items.writer(aContext(pods));
      return [...served.cache.keys()].map((key) => writer.ofKey(served.collection, key)?.[0]);
    };
    walk();
    walk();

    const [one, other] = [walk(), walk()];

    const found = one.filter((first, index) => isSame(first, other[index])).length;
    expect(found).to.be.within(10, 40);
    expect(items.stats).to.include({ pieces: 50 });
    expect(items.stats.bytes).to.be.below(180_000);
  });

  it("give back the bytes they took when their objects change", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const objects = names.map((name) => podOf(name, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes, pieces: keptPieces({ bytes: 200_000 }) });
    const walk = (): void => {
      const writer = items.writer(aContext(pods));
      for (const key of served.cache.keys()) writer.ofKey(served.collection, key);
    };
    walk();
    walk();
    const { live } = items.stats.slabs;

    let version = 1000;
    const change = async (some: readonly string[]): Promise<void> => {
      for (const name of some)
        await served.change(podOf(name, `${++version}`, "Running"), `${version}`);
    };
    for (let round = 0; round < 5; round++) {
      await change(names);
      walk();
      walk();
    }
    const after = items.stats.slabs.live;
    await change(names.filter((_, index) => index % 4 > 0));
    walk();

    expect(live).to.be.above(10_000);
    expect(after).to.be.within(live * 0.8, live * 1.2);
    const { live: left, allocated } = items.stats.slabs;
    expect(left).to.be.within(1000, live * 0.4);
    expect(allocated, "what is left is moved together").to.be.below(3 * left);
    expect(items.stats.bytes).to.be.at.most(200_000 + allocated - left);
  });

  it("give back the bytes they took when others push them out", async () => {
    const objects = Array.from({ length: 60 }, (_, index) => podOf(`p${index}`, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes, pieces: keptPieces({ bytes: 180_000 }) });
    const keys = [...served.cache.keys()];
    const walk = (some: readonly string[], now: number): readonly (Uint8Array | undefined)[] => {
      const writer = items.writer(aContext(pods, { now }));
      return some.map((key) => writer.ofKey(served.collection, key)?.[0]);
    };
    const [some, others] = [keys.slice(0, 30), keys.slice(30)];
    for (let turn = 0; turn < 2; turn++) walk(some, noon);
    const { live } = items.stats.slabs;

    for (let turn = 0; turn < 2; turn++) walk(others, noon + 20_000);
    const kept = walk(others, noon + 20_000);

    expect(live).to.be.above(10_000);
    expect(items.stats.slabs.live).to.be.within(live * 0.5, live * 1.2);
    const again = walk(others, noon + 20_000);
    expect(again.filter((item, index) => isSame(item, kept[index]))).to.have.length.above(5);
    expect(items.stats.bytes).to.be.at.most(180_000);
  });

  it("are pushed out by none that save less, however long they were left alone", async () => {
    const large = (name: string) => ({
      ...podOf(name, "8", "Running"),
      spec: { note: "x".repeat(9000) },
    });
    const objects = Array.from({ length: 40 }, (_, index) => large(`p${index}`));
    await using served = await ServedCache.start(pods, objects);
    const items = new CachedItems({ types: allTypes, pieces: keptPieces({ bytes: 345_000 }) });
    const keys = [...served.cache.keys()];
    const packed = (now: number): number => {
      const writer = items.writer(aContext(pods, { now }));
      const told = keys.map((key) => writer.packedOfKey(served.collection, key));
      return told.filter((item) => item && isPacked(item)).length;
    };
    const walk = (now: number): void => {
      const writer = items.writer(aContext(pods, { now }));
      for (let turn = 0; turn < 3; turn++)
        for (const key of keys.slice(20)) writer.ofKey(served.collection, key);
    };
    packed(noon);
    const kept = packed(noon);

    walk(noon + 30_000);
    const after = packed(noon + 31_000);

    expect(kept).to.be.above(20);
    expect(after).to.be.at.least(kept);
  });

  it("take the memory that they say", async () => {
    const objects = Array.from({ length: 400 }, (_, index) => podOf(`p${index}`, "8", "Running"));
    await using served = await ServedCache.start(pods, objects);
    const written = (): CachedItems => {
      const items = new CachedItems({ types: allTypes });
      const writer = items.writer(aContext(pods));
      for (const key of served.cache.keys()) writer.ofKey(served.collection, key);
      return items;
    };
    written(); // so that what is compiled and pooled is there

    const before = await inUse();
    const items = written();
    const after = await inUse();

    expect(items.stats.pieces).to.equal(400);
    expect(after - before).to.be.below(3 * items.stats.bytes);
  });

  it("are deflated once they were asked for twice, and have their own form for each that differs", async () => {
    const large = (version: string, phase: string) => ({
      ...podOf("a", version, phase),
      spec: { note: "x".repeat(4096) },
    });
    await using served = await ServedCache.start(pods, [
      large("8", "Running"),
      podOf("b", "8", "Running"),
    ]);
    const items = new CachedItems({ types: allTypes });
    const others = accessOf({ ns: ["list pods"] });
    const asked = async (more: object = {}): Promise<boolean> => {
      const context = aContext(pods, more);
      const item = items.writer(context).packedOfKey(served.collection, "ns/a");
      const plain = read(items.writer(context).ofKey(served.collection, "ns/a"));
      if (item === undefined || !isPacked(item)) {
        expect(read(item)).to.deep.equal(plain);
        return false;
      }
      const body = new GzipBody();
      body.addDeflated(asFirst(item));
      expect(read([gunzipSync(Buffer.concat(await body.end()))])).to.deep.equal(plain);
      return true;
    };

    expect([await asked(), await asked(), await asked()]).to.deep.equal([false, true, true]);
    expect([await asked({ access: others }), await asked({ access: others })]).to.deep.equal([
      ...[false, true],
    ]);
    expect([await asked({ base: "https://other" }), await asked()]).to.deep.equal([false, true]);
    expect(await asked(shape("exclude=metadata.managedFields"))).to.equal(false);
    const later = { now: noon + 3_600_000 };
    expect([await asked(later), await asked(later), await asked()]).to.deep.equal([
      ...[true, true, true], // though ages are others
    ]);
    await served.change(large("1001", "Pending"), "1001");
    expect([await asked(), await asked()]).to.deep.equal([false, true]);
    const labelled = shape("exclude=metadata.labels");
    expect([await asked(labelled), await asked(labelled)]).to.deep.equal([false, true]);
    for (let turn = 0; turn < 3; turn++) expect(await asked(shape("exclude=spec"))).to.equal(false);
    const small = items.writer(aContext(pods));
    for (let turn = 0; turn < 3; turn++) {
      expect(small.packedOfKey(served.collection, "ns/b")).to.be.an("array");
    }
  });

  it("are shared by people with different rights who see the same", async () => {
    const note = "x".repeat(4096);
    await using served = await ServedCache.start(pods, [
      { ...podOf("a", "8", "Running"), spec: { note } },
    ]);
    const items = new CachedItems({ types: allTypes });
    const itemFor = (...rights: readonly string[]): PackedItem | undefined => {
      const access = accessOf({ ns: rights });
      return items.writer(aContext(pods, { access })).packedOfKey(served.collection, "ns/a");
    };
    const blocksFor = (...rights: readonly string[]): Buffer | undefined => {
      const item = itemFor(...rights);
      return item && isPacked(item) ? item.blocks[0] : undefined;
    };
    itemFor("list pods");
    const blocks = blocksFor("list pods");

    expect(blocks).to.not.equal(undefined);
    expect(blocksFor("list pods", "get services")).to.equal(blocks);
    expect(blocksFor("list,get pods")).to.equal(undefined); // sees a link more
    expect(blocksFor("list pods")).to.equal(blocks);
    const size = items.stats.bytes;
    for (let n = 0; n < 8; n++) itemFor("list pods", `get services/s${n}`);
    expect(items.stats.bytes).to.be.greaterThan(size); // who sees it is counted too
  });

  for (const [what, room] of [
    ["kept", {}],
    ["not kept, for want of room", { bytes: 4000 }],
  ] as const) {
    it(`have metadata.fields as a part of their own where their bytes were asked for: ${what}`, async () => {
      await using served = await ServedCache.start(pods, [podOf("a", "8", "Running")]);
      const items = new CachedItems({ types: allTypes, pieces: keptPieces(room) });
      for (let time = 0; time < 3; time++) {
        const writer = items.writer(aContext(pods));
        const fields = writer.fieldsOf(served.collection, "ns/a")?.bytesAt(noon);
        const item = writer.ofKey(served.collection, "ns/a");

        expect(item?.filter((part) => part === fields)).to.have.length(1);
        expect(String(fields)).to.contain('"fields":["a",');
      }
      expect(items.stats.slabs.live > 0).to.equal(what === "kept");
    });
  }

  it("are made anew when their type changes", async () => {
    await using served = await ServedCache.start(configMaps, [configMap]);
    const items = new CachedItems({ types: allTypes });
    const fieldsOf = (type: typeof configMaps): unknown =>
      at(
        read(items.writer(aContext(type)).ofKey(served.collection, "ns/thing")),
        "metadata",
        "fields",
      );

    expect(fieldsOf(configMaps)).to.deep.equal(["thing", 2, "60m"]);
    expect(fieldsOf({ ...configMaps, cells: () => ["other"] })).to.deep.equal(["other"]);
  });
});

async function inUse(): Promise<number> {
  const { heapUsed, arrayBuffers } = await collected();
  return heapUsed + arrayBuffers;
}
