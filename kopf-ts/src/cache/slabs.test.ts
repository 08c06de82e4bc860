import { expect } from "chai";
import { seededRandom } from "../testing/index.ts";
import { Slabs } from "./slabs.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

function put(slabs: Slabs, text: string): number {
  const bytes = Buffer.from(text);
  return slabs.put(bytes, 0, bytes.length);
}

/** Evacuates until nothing is left to do; returns how many slabs that took. */
function evacuateAll(slabs: Slabs): number {
  let count = 0;
  while (slabs.evacuate()) count++;
  return count;
}

describe("Slabs", () => {
  it("returns what was put, without what was cut out", () => {
    const slabs = new Slabs();
    const bytes = Buffer.from("##abc[cut]def##");

    const whole = slabs.put(bytes, 2, 13);
    const cut = slabs.put(bytes, 2, 13, { start: 5, end: 10 });
    const first = slabs.put(bytes, 2, 13, { start: 2, end: 10 });
    bytes.fill(0);

    expect(String(slabs.read(whole))).to.equal("abc[cut]def");
    expect(String(slabs.read(cut))).to.equal("abcdef");
    expect(String(slabs.read(first))).to.equal("def");
    expect(slabs.lengthOf(cut)).to.equal(6);
  });

  it("drops an entry with its last reference", () => {
    const slabs = new Slabs();
    const handle = put(slabs, "shared");

    slabs.retain(handle);
    slabs.release(handle);
    const once = String(slabs.read(handle));
    slabs.release(handle);

    expect(once).to.equal("shared");
    expect(() => slabs.read(handle)).to.throw("no such entry");
    expect(slabs.usage.live).to.equal(0);
  });

  it("starts small and grows in proportion", () => {
    const slabs = new Slabs();

    put(slabs, "x".repeat(200));
    const small = slabs.usage.allocated;
    for (let n = 0; n < 1000; n++) put(slabs, "x".repeat(KIB));
    const middle = slabs.usage;

    expect(small).to.equal(4 * KIB);
    expect(middle.allocated).to.be.below(middle.live * 1.5);
  });

  it("gives entries above 256 KiB a buffer of their own size, and lets go of it at once", () => {
    const slabs = new Slabs();
    put(slabs, "small");

    const large = slabs.put(Buffer.alloc(300 * KIB, 1), 0, 300 * KIB);
    const during = slabs.usage.allocated;
    slabs.release(large);

    expect(during).to.equal(304 * KIB);
    expect(slabs.usage).to.deep.equal({ live: 5, allocated: 4 * KIB });
  });

  it("never writes twice to bytes that it handed out", () => {
    const slabs = new Slabs();
    const handle = put(slabs, "what was read stays");
    const view = slabs.read(handle);

    slabs.release(handle);
    const handles = Array.from({ length: 5000 }, (_, n) => put(slabs, `filler ${n}`.repeat(20)));
    for (const each of handles.filter((_, n) => n % 3 > 0)) slabs.release(each);
    evacuateAll(slabs);
    slabs.clear();

    expect(String(view)).to.equal("what was read stays");
  });

  it("lets go of a slab as soon as nothing in it is alive", () => {
    const slabs = new Slabs();
    const handles = Array.from({ length: 1000 }, () => put(slabs, "x".repeat(KIB)));

    for (const handle of handles) slabs.release(handle);

    expect(slabs.sparse).to.equal(false);
    expect(slabs.usage).to.deep.equal({ live: 0, allocated: 0 });
  });

  it("makes no slab each time that the only entry in the last one is replaced", () => {
    const slabs = new Slabs();
    for (let n = 0; n < 4; n++) put(slabs, "x".repeat(KIB)); // fills the first
    let entry = put(slabs, "y".repeat(100));
    const buffers = new Set<ArrayBufferLike>();
    const replace = (): void => {
      slabs.release(entry);
      entry = put(slabs, "y".repeat(100));
      buffers.add(slabs.read(entry).buffer);
    };

    for (let turn = 0; turn < 15; turn++) replace();
    const { size } = buffers;
    for (let turn = 0; turn < 85; turn++) replace();

    expect(size).to.equal(1);
    expect(buffers.size).to.be.within(2, 6); // 10 KB in slabs that are half full
    expect(slabs.usage).to.deep.equal({ live: 4 * KIB + 100, allocated: 8 * KIB });
  });

  it("evacuates one slab per call, until none is less than half alive", () => {
    const slabs = new Slabs();
    const handles = Array.from({ length: 4000 }, (_, n) => put(slabs, `${n}`.padEnd(KIB, ".")));
    const kept = handles.filter((handle, n) => {
      if (n % 4 > 0) slabs.release(handle);
      return n % 4 === 0;
    });
    const before = slabs.usage.allocated;

    const calls = evacuateAll(slabs);

    expect(calls).to.be.greaterThan(3);
    expect(slabs.usage.allocated).to.be.below(before / 2);
    expect(kept.map((handle) => Number.parseInt(String(slabs.read(handle)), 10))).to.deep.equal(
      Array.from({ length: 1000 }, (_, n) => n * 4),
    );
  });

  it("gives out the numbers of entries that went again", () => {
    const slabs = new Slabs();
    const handles = ["a", "b", "c"].map((text) => put(slabs, text));

    for (const handle of handles) slabs.release(handle);
    const again = ["d", "e", "f"].map((text) => put(slabs, text));

    expect(new Set(again)).to.deep.equal(new Set(handles));
  });

  it("evacuates a slab that died while it was still filled", () => {
    const slabs = new Slabs();
    const handles = ["a", "b", "c"].map((text) => put(slabs, text.repeat(KIB)));
    for (const handle of handles.slice(1)) slabs.release(handle);
    const filling = slabs.sparse;

    const next = put(slabs, "n".repeat(2 * KIB));
    const full = slabs.sparse;
    evacuateAll(slabs);

    expect({ filling, full }).to.deep.equal({ filling: false, full: true });
    expect(String(slabs.read(handles[0] ?? -1))).to.equal("a".repeat(KIB));
    expect(slabs.usage).to.deep.equal({ live: 3 * KIB, allocated: 8 * KIB });
    expect(slabs.lengthOf(next)).to.equal(2 * KIB);
  });

  it("does nothing for entries that went with everything else", () => {
    const slabs = new Slabs();
    const handle = put(slabs, "before");
    slabs.clear();

    slabs.release(handle);
    const handles = ["a", "b"].map((text) => put(slabs, text));

    expect(new Set(handles).size).to.equal(2);
    expect(slabs.usage.live).to.equal(2);
  });

  it("forgets everything when cleared, and can be used again", () => {
    const slabs = new Slabs();
    const handle = put(slabs, "before");

    slabs.clear();
    const empty = slabs.usage;
    const again = put(slabs, "after");

    expect(empty).to.deep.equal({ live: 0, allocated: 0 });
    expect(handle).to.equal(again);
    expect(String(slabs.read(again))).to.equal("after");
  });

  for (const seed of [1, 2, 3, Date.now() % 1_000_000]) {
    it(`holds what a map holds, in bounded space, under random churn (seed ${seed})`, () => {
      const slabs = new Slabs();

      const model = churn(slabs, seed);
      evacuateAll(slabs);

      for (const [handle, { text }] of model) expect(String(slabs.read(handle))).to.equal(text);
      const { live, allocated } = slabs.usage;
      const lengths = [...model.values()].map(({ text }) => text.length);
      expect(live).to.equal(lengths.reduce((sum, length) => sum + length, 0));
      expect(allocated).to.be.at.most(2 * live + 2 * MIB);
    });
  }
});

interface Entry {
  readonly text: string;
  references: number;
}

/** Random puts, references and releases, oldest first; returns what must be there in the end, by handle. */
function churn(slabs: Slabs, seed: number): ReadonlyMap<number, Entry> {
  const random = seededRandom(seed);
  const model = new Map<number, Entry>();
  const add = (step: number): void => {
    const length = 1 + random.below(random.chance(0.02) ? 20_000 : 300);
    const text = `${step}-`.padEnd(length, "x");
    model.set(put(slabs, text), { text, references: 1 });
  };
  const change = (handle: number, by: 1 | -1): void => {
    const entry = model.get(handle);
    if (entry === undefined) return;
    if (by > 0) slabs.retain(handle);
    else slabs.release(handle);
    entry.references += by;
    if (entry.references === 0) model.delete(handle);
  };
  for (let step = 0; step < 20_000; step++) {
    const dice = random.next();
    if (dice < 0.5) add(step);
    else if (dice < 0.505) change([...model.keys()][random.below(model.size)] ?? -1, 1);
    else change(model.keys().next().value ?? -1, -1);
    if (random.chance(0.1)) slabs.evacuate();
  }
  return model;
}
