import { expect } from "chai";
import { type Chunk, Chunks } from "./chunks.ts";

const kib = 1024;

function joined(chunks: Chunks): Buffer {
  return Buffer.concat(chunks.take().map(({ bytes }) => bytes));
}

describe("Chunks", () => {
  for (const [name, parts] of [
    ["nothing", []],
    ["empty parts", ["", Buffer.alloc(0), ""]],
    ["texts of many letters", ["a", "é", "€", "😀", "\ud800"]],
    ["what is as long as a chunk", [Buffer.alloc(16 * kib, "x")]],
    ["what is longer than a few", ["a", Buffer.alloc(3000 * kib, "0123456789abc"), "b"]],
    ["a text that is longer than one", ["a", "€".repeat(100 * kib), "b"]],
    ["a text that might not fit", [Buffer.alloc(15 * kib, "x"), "y".repeat(900), "z"]],
  ] as const) {
    it(`hold ${name}`, () => {
      const chunks = new Chunks();
      for (const part of parts) chunks.add(part);
      const all = Buffer.concat(parts.map((part) => Buffer.from(part)));

      expect(chunks.size).to.equal(all.length);
      expect(joined(chunks).equals(all)).to.equal(true);
      expect([chunks.size, chunks.take()]).to.deep.equal([0, []]);
    });
  }

  const lengthsOf = (kibs: number, isExpected: boolean): readonly number[] => {
    const chunks = new Chunks();
    if (isExpected) chunks.expect(kibs * kib);
    for (let index = 0; index < kibs; index++) chunks.add(Buffer.alloc(kib, "x"));
    return chunks.take().map(({ bytes }) => bytes.length / kib);
  };

  for (const [kibs, lengths] of [
    [300, [300]],
    [1024, [1024]],
    [1100, [1100]],
    [2048, [2048]],
    [3000, [2048, 952]],
  ] as const) {
    it(`are ${lengths.join(" and ")} KiB where ${kibs} are expected`, () => {
      expect(lengthsOf(kibs, true)).to.deep.equal(lengths);
    });
  }

  for (const [kibs, room] of [
    [275, 320],
    [330, 384],
    [700, 768],
    [1100, 1152],
  ] as const) {
    it(`lie in ${room} KiB where ${kibs} are expected`, () => {
      const chunks = new Chunks();
      chunks.expect(kibs * kib);
      chunks.add("x");

      expect(chunks.take().map(({ size }) => size / kib)).to.deep.equal([room]);
    });
  }

  it("are small behind what was expected", () => {
    const chunks = new Chunks();
    chunks.expect(315 * kib);
    chunks.add(Buffer.alloc(385 * kib));
    chunks.add("x");

    expect(chunks.take().map(({ size }) => size / kib)).to.deep.equal([320, 16, 64]);
  });

  it("become larger where it is not known what is to come, up to 1 MiB", () => {
    expect(lengthsOf(4000, false)).to.deep.equal([16, 64, 256, 1024, 1024, 1024, 592]);
  });

  it("use room again once it was given back, and no sooner", () => {
    const chunkOf = (text: string): Chunk | undefined => {
      const chunks = new Chunks();
      chunks.add(text);
      return chunks.take()[0];
    };
    const first = chunkOf("first");
    const second = chunkOf("second");
    first?.release();
    const third = chunkOf("third");

    expect(second?.bytes.buffer).to.not.equal(first?.bytes.buffer);
    expect(third?.bytes.buffer).to.equal(first?.bytes.buffer);
    expect([second, third].map((chunk) => String(chunk?.bytes))).to.deep.equal(["second", "third"]);
  });

  it("hold what is inserted where it is, and after it was released elsewhere", () => {
    const chunkOf = (text: string): Chunk => {
      const chunks = new Chunks();
      chunks.expect(text.length);
      chunks.add(text);
      return chunks.take()[0] as Chunk;
    };
    const inserted = chunkOf("inserted");
    const chunks = new Chunks();
    chunks.add("before ");
    chunks.insert(inserted);
    chunks.add(" behind");
    inserted.release();
    const other = chunkOf("another!");

    expect(chunks.size).to.equal(22);
    const taken = chunks.take();
    expect(taken.map(({ bytes }) => String(bytes))).to.deep.equal([
      ...["before ", "inserted", " behind"],
    ]);
    expect(taken.map(({ size }) => size / kib)).to.deep.equal([16, 1, 1]);
    expect(taken[1]?.bytes.buffer).to.not.equal(other.bytes.buffer);
    for (const each of taken) each.release();
    expect(chunkOf("next").bytes.buffer).to.be.oneOf(taken.map(({ bytes }) => bytes.buffer));
  });

  it("have the sizes at hand that are asked for, whatever was asked for before", () => {
    const roomOf = (size: number): Chunk[] => {
      const chunks = new Chunks();
      chunks.expect(size);
      chunks.add("x");
      return [...chunks.take()];
    };
    const many = Array.from({ length: 200 }, () => roomOf(256 * kib)).flat();
    for (const chunk of many) chunk.release();
    const [first] = roomOf(1024 * kib);
    first?.release();
    const [second] = roomOf(1024 * kib);

    expect(second?.bytes.buffer).to.equal(first?.bytes.buffer);
  });
});
