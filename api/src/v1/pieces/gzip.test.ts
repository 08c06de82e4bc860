import { crc32, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { combined, shiftOf } from "./crc.ts";
import {
  behind,
  type Deflated,
  deflated,
  deflatedInOne,
  GzipBody,
  inOne,
  joined,
  sizeOfBlocks,
  stored,
} from "./gzip.ts";

const random = seededRandom(11);

function bytesOf(length: number): Buffer {
  const words = ["metadata", "default", "pods", "2026-11-21T", "éé", "{}", "},", "::"];
  const text = Array.from({ length: length / 2 + 1 }, () => words[random.below(words.length)]).join(
    "",
  );
  return Buffer.from(text).subarray(0, length);
}

/** Deflated in two parts that are joined. */
function inTwo(bytes: Buffer): Deflated {
  const at = random.below(bytes.length + 1);
  return joined(stored(bytes.subarray(0, at)), deflated(bytes.subarray(at)));
}

describe("combined", () => {
  it("is the checksum of both", () => {
    for (const [first, second] of [
      [0, 0],
      [0, 5],
      [5, 0],
      [1, 1],
      [1000, 65_537],
      [3, 300_000],
    ] as const) {
      const [a, b] = [bytesOf(first), bytesOf(second)];

      expect(combined(crc32(a), crc32(b), shiftOf(second)), `${first} ${second}`).to.equal(
        crc32(Buffer.concat([a, b])) | 0,
      );
    }
  });
});

describe("joined", () => {
  it("is one after the other, and without the first what is behind it", async () => {
    for (const [a, b, c] of [
      [1, 2000, 30],
      [5000, 0, 1],
      [0, 7, 1025],
    ] as const) {
      const parts = [bytesOf(a), bytesOf(b), bytesOf(c)] as const;
      const [first, ...others] = [stored(parts[0]), deflated(parts[1]), stored(parts[2])] as const;
      const all = joined(first, ...others);
      const body = new GzipBody();
      body.addDeflated(all);

      expect(gunzipSync(Buffer.concat(await body.end()))).to.deep.equal(Buffer.concat(parts));
      expect(all.crc).to.equal(crc32(Buffer.concat(parts)) | 0);
      const { blocks, ...rest } = behind(first, joined(inOne(joined(first, others[0])), others[1]));
      const alone = joined(...others);
      expect(rest).to.deep.include({ length: alone.length, crc: alone.crc, shift: alone.shift });
      expect(Buffer.concat(blocks)).to.deep.equal(Buffer.concat(alone.blocks));
    }
  });
});

describe("deflatedInOne", () => {
  it("is the same in fewer bytes, and a part of bodies as before", async () => {
    for (const [count, length] of [
      [1, 0],
      [300, 10],
      [40, 2000],
      [300, 5000],
    ] as const) {
      const bytes = bytesOf(length);
      const [first = stored(bytes), ...others] = Array.from({ length: count }, () => inTwo(bytes));
      const before = joined(first, ...others);
      const { blocks, ...rest } = await deflatedInOne(before);
      const body = new GzipBody();
      body.add(Buffer.from("before"));
      body.addDeflated({ blocks, ...rest });
      body.addDeflated(stored(Buffer.from("behind")));

      expect(rest).to.deep.equal({ length: before.length, crc: before.crc, shift: before.shift });
      if (length > 0)
        expect(sizeOfBlocks({ blocks, ...rest })).to.be.lessThan(sizeOfBlocks(before));
      const text = `before${String(bytes).repeat(count)}behind`;
      expect(gunzipSync(Buffer.concat(await body.end())).toString()).to.equal(text);
    }
  });
});

describe("GzipBody", () => {
  it("is what was added, however it was", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const body = new GzipBody();
      const parts = Array.from({ length: random.below(20) }, () =>
        bytesOf(random.chance(0.5) ? random.below(70) : random.below(40_000)),
      );
      const taken: Buffer[] = [];
      for (const part of parts) {
        const packed = random.pick([stored, deflated, inTwo, undefined]);
        if (packed === undefined) body.add(part);
        else body.addDeflated(packed(part));
        if (random.chance(0.1)) taken.push(...(await body.take()));
      }
      taken.push(...(await body.end()));

      const all = Buffer.concat(parts);
      expect(gunzipSync(Buffer.concat(taken)).equals(all)).to.equal(true);
    }
  });

  it("takes pieces as often as they are there", async () => {
    const piece = deflated(bytesOf(9000));
    const body = new GzipBody();
    for (let index = 0; index < 300; index++) body.addDeflated(piece);

    const unpacked = gunzipSync(Buffer.concat(await body.end()));

    expect(unpacked.length).to.equal(300 * 9000);
    expect(crc32(unpacked.subarray(0, 9000)) | 0).to.equal(piece.crc);
  });

  it("can be a part of others", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const part = new GzipBody();
      const parts = Array.from({ length: random.below(6) }, () => bytesOf(random.below(50_000)));
      for (const each of parts) {
        if (random.chance(0.5)) part.add(each);
        else part.addDeflated(deflated(each));
      }
      const all = await part.asPart();
      const body = new GzipBody();
      for (const text of ["before", "between", "behind"]) {
        body.add(Buffer.from(text));
        body.addDeflated(all);
      }

      const bytes = Buffer.concat(parts);
      const wanted = ["before", "between", "behind"].flatMap((text) => [Buffer.from(text), bytes]);
      expect(all.length).to.equal(bytes.length);
      expect(gunzipSync(Buffer.concat(await body.end())).equals(Buffer.concat(wanted))).to.equal(
        true,
      );
    }
  });

  it("may be empty", async () => {
    expect(gunzipSync(Buffer.concat(await new GzipBody().end())).length).to.equal(0);
  });
});
