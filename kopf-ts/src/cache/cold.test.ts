import { expect } from "chai";
import { silentLogger } from "../base/index.ts";
import { longestTurn } from "../testing/index.ts";
import { Background } from "./background.ts";
import { aWidget, Feed, scannedText, uidOf, Widget } from "./fixtures.ts";
import { Store } from "./store.ts";

/** managedFields such as kubelets and controllers leave: large, and much alike. */
function managedFields(seed: string): readonly unknown[] {
  const fields = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`f:field${n}`, { "f:value": {}, ".": {} }]),
  );
  return ["kubelet", "controller"].map((manager) => ({
    manager,
    operation: "Update",
    time: `2026-01-01T00:00:${String(seed.length % 60).padStart(2, "0")}Z`,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": fields, [`k:{"uid":"${uidOf(seed)}"}`]: {} },
  }));
}

function widget(index: number, resourceVersion = "1"): Widget {
  const name = `w-${index}`;
  return aWidget({
    name,
    resourceVersion,
    managedFields: managedFields(`${name}/${resourceVersion}`),
    spec: { size: index },
  });
}

/** Every tenth has short ones. */
function mixed(index: number, revision: number): Widget {
  const short = [{ manager: "kubectl".repeat(10), revision }];
  const fields = index % 10 === 0 ? short : managedFields(`${index}/${revision}`);
  return aWidget({
    name: `w-${index}`,
    resourceVersion: String(revision),
    managedFields: fields,
  });
}

/** Everything that waits in the background is done. */
async function settled(background: Background): Promise<void> {
  while (background.size > 0) await new Promise(setImmediate);
}

describe("managedFields in a cold cache", () => {
  for (const { name, metadata } of [
    {
      name: "last",
      metadata: (fields: unknown) => ({ name: "a", uid: "u", managedFields: fields }),
    },
    { name: "first", metadata: (fields: unknown) => ({ managedFields: fields, name: "a" }) },
    {
      name: "alone but for a name",
      metadata: (fields: unknown) => ({ name: "a", managedFields: fields }),
    },
    {
      name: "in between",
      metadata: (fields: unknown) => ({ name: "a", managedFields: fields, uid: "u" }),
    },
  ]) {
    it(`come back byte for byte where they stood: ${name}`, async () => {
      const background = new Background(silentLogger);
      const store = new Store(Widget, { managedFields: "cold", background });
      const object = { kind: "Widget", metadata: metadata(managedFields("x")), spec: { size: 1 } };

      new Feed(store).list([object], "1");
      const fresh = String(store.rawWithManagedFields("a"));
      const member = `"managedFields":${JSON.stringify(managedFields("x"))}`;
      expect(String(store.managedFields("a"))).to.equal(member);
      await settled(background);

      expect(fresh).to.equal(JSON.stringify(object));
      expect(String(store.managedFields("a"))).to.equal(member);
      expect(String(store.rawWithManagedFields("a"))).to.equal(JSON.stringify(object));
      const bare = JSON.parse(String(store.raw("a")));
      const { managedFields: _, ...rest } = object.metadata as Record<string, unknown>;
      expect(bare).to.deep.equal({ ...object, metadata: rest });
    });
  }

  it("are packed although others went before their turn, and again when more come", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    const feed = new Feed(store);
    feed.list([], "1");
    for (let index = 0; index < 100; index++) feed.change("ADDED", widget(index));
    for (let index = 0; index < 50; index++) feed.change("DELETED", widget(index));
    await settled(background); // what was left of those that went
    const fresh = store.stats.cold;

    store.bookmark("2");
    store.bookmark("3");
    const jobs = background.size;
    await settled(background);
    const packed = store.stats.cold;
    for (let index = 100; index < 300; index++) feed.change("ADDED", widget(index));
    store.bookmark("4");
    store.bookmark("5");
    await settled(background);

    expect(jobs).to.equal(1);
    expect(packed).to.be.below(fresh / 3);
    expect(store.stats.cold).to.be.below(fresh);
    for (const index of [50, 99, 100, 299]) {
      const whole = JSON.parse(String(store.rawWithManagedFields(`default/w-${index}`)));
      expect(whole).to.deep.equal(widget(index));
    }
  });

  it("are packed once they have not changed from one bookmark to the next", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    const feed = new Feed(store);
    feed.list([widget(1), widget(2)], "1");
    await settled(background);
    const change = (index: number, revision: number): void =>
      feed.change("MODIFIED", widget(index, String(revision)));
    change(1, 2);
    const jobs: number[] = [];
    const bookmark = async (): Promise<void> => {
      store.bookmark("9");
      jobs.push(background.size);
      await settled(background);
    };

    await bookmark();
    change(1, 3);
    change(2, 4);
    await bookmark();
    await bookmark();
    await bookmark();

    expect(jobs).to.deep.equal([0, 0, 1, 0]);
    expect(JSON.parse(String(store.rawWithManagedFields("default/w-1")))).to.deep.equal(
      widget(1, "3"),
    );
  });

  it("take little room once they are packed, and none once their objects are gone", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    const feed = new Feed(store);
    const widgets = Array.from({ length: 500 }, (_, index) => widget(index));

    feed.list(widgets, "1");
    const fresh = store.stats.cold;
    await settled(background);
    const packed = store.stats.cold;
    feed.list([], "2");
    await settled(background);

    const size = JSON.stringify(widgets[0]?.metadata.managedFields).length;
    expect(fresh).to.be.greaterThan(500 * size);
    expect(packed).to.be.below(500 * 300);
    expect(store.stats.cold).to.equal(0);
  });

  it("stay right while objects change", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    const feed = new Feed(store);
    feed.list(
      Array.from({ length: 50 }, (_, index) => widget(index)),
      "1",
    );
    const last = new Map<number, Widget>();

    for (let step = 2; step < 400; step++) {
      const changed =
        step % 7 === 0
          ? aWidget({ name: `w-${step % 50}`, resourceVersion: `${step}` })
          : widget(step % 50, `${step}`);
      feed.change("MODIFIED", changed);
      last.set(step % 50, changed);
      if (step % 40 === 0) {
        store.bookmark(String(step));
        await settled(background);
      }
    }

    for (const changed of last.values()) {
      const key = `default/${changed.metadata.name}`;
      expect(String(store.rawWithManagedFields(key))).to.equal(JSON.stringify(changed));
    }
  });

  it("are packed without holding up the event loop", async function () {
    this.timeout(10_000);
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    new Feed(store).list(
      Array.from({ length: 2000 }, (_, index) => widget(index)),
      "1",
    );

    const longest = await longestTurn(() => settled(background));

    expect(longest).to.be.below(50);
  });

  const kept = '"managedFields":[{"a":",b"}]';
  for (const [title, metadata, expected] of [
    ["behind others", `"name":"a","labels":{},${kept}`, kept],
    ["before others", `${kept},"name":"a"`, kept],
    ["between others", `"name":"a",${kept},"labels":{}`, kept],
    ["with spaces", '"managedFields" : [1] , "name":"a"', '"managedFields" : [1]'],
    ["with spaces, at the end", '"name":"a" , "managedFields":\n[1] ', '"managedFields":\n[1]'],
    ["behind what is called so", `"name":"a","labels":{"managedFields":"x"},${kept}`, kept],
    ["nowhere", '"name":"a"', undefined],
    ["nowhere but elsewhere", '"name":"a","labels":{"managedFields":"x"}', undefined],
  ] as const) {
    it(`are told without what separates them: ${title}`, () => {
      const store = new Store(Widget, { managedFields: "cold" });
      store.begin();
      store.item(scannedText(`{"metadata":{${metadata}},"managedFields":1}`));
      store.end("1");

      expect(store.managedFields("a")?.toString()).to.equal(expected);
    });
  }

  it("stay as they are where they are short", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    const short = [{ manager: "kubectl", fieldsV1: { "f:data": {} } }];
    new Feed(store).list([aWidget({ name: "a", managedFields: short })], "1");

    expect(background.size).to.equal(0);
    expect(String(store.managedFields("default/a"))).to.equal(
      `"managedFields":${JSON.stringify(short)}`,
    );
  });

  it("take little room where short ones that stay and long ones that go were mixed", async () => {
    const background = new Background(silentLogger);
    const store = new Store(Widget, { managedFields: "cold", background });
    const feed = new Feed(store);
    const all = Array.from({ length: 1000 }, (_, index) => index);
    const changing = all.filter((index) => index % 3 === 0);
    feed.list(
      all.map((index) => mixed(index, 1)),
      "1",
    );
    await settled(background);
    const once = store.stats.cold;
    for (let n = 2; n < 12; n++) {
      for (const index of changing) feed.change("MODIFIED", mixed(index, n));
      for (const revision of ["8", "9", "10"]) {
        store.bookmark(revision);
        await settled(background);
      }
    }

    const fresh = all.reduce((sum, n) => sum + JSON.stringify(managedFields(`${n}`)).length, 0);
    expect(once).to.be.below(fresh / 3);
    expect(store.stats.cold).to.be.below(2 * once);
    for (const [index, n] of [
      [0, 11],
      [30, 11],
      [31, 1],
      [40, 1],
    ] as const) {
      const { metadata } = mixed(index, n);
      const member = `"managedFields":${JSON.stringify(metadata.managedFields)}`;
      expect(String(store.managedFields(`default/w-${index}`))).to.equal(member);
    }
  });

  it("are dropped unless somebody wants them", () => {
    const store = new Store(Widget);
    new Feed(store).list([widget(1)], "1");

    expect(store.rawWithManagedFields("default/w-1")).to.deep.equal(store.raw("default/w-1"));
    expect(String(store.raw("default/w-1"))).to.not.contain("managedFields");
    expect(store.managedFields("default/w-1")).to.equal(undefined);
    expect(store.stats.cold).to.equal(0);
  });
});
