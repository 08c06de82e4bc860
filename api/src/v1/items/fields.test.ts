import { expect } from "chai";
import type { Cell } from "../printers/cell.ts";
import { Fields } from "./fields.ts";

const begin = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number): number => begin + 1000 * seconds;

describe("Fields", () => {
  let fields: Fields;
  beforeEach(() => {
    fields = new Fields(["é", { since: at(-57) }, 3, { restarts: 2, since: at(-2) }]);
  });

  for (const [seconds, ages] of [
    [0, ["57s", "2 (2s ago)"]],
    [2, ["59s", "2 (4s ago)"]], // as long
    [8, ["65s", "2 (10s ago)"]],
    [62, ["119s", "2 (64s ago)"]],
    [63, ["2m", "2 (65s ago)"]],
  ] as const) {
    it(`are ${ages.join(" and ")} after ${seconds} s, as text and as bytes`, () => {
      fields.bytesAt(at(0));
      const text = `"fields":["é","${ages[0]}",3,"${ages[1]}"],`;

      expect(fields.at(at(seconds))).to.equal(text);
      expect(fields.bytesAt(at(seconds)).toString()).to.equal(text);
    });

    it(`tell where these are among the bytes of ${seconds} s`, () => {
      const bytes = fields.bytesAt(at(seconds));
      const shown = fields
        .changingAt(at(seconds))
        .map(({ at: start, length }) => bytes.toString("utf8", start, start + length));

      expect(shown).to.deep.equal(ages);
    });
  }

  it("have integers that doubles would round", () => {
    expect(new Fields([9007199254740993n, 1]).at(at(0))).to.equal('"fields":[9007199254740993,1],');
  });

  it("stay as they were told when others are asked for", () => {
    const bytes = fields.bytesAt(at(0));
    const text = String(bytes);

    expect(fields.bytesAt(at(0))).to.equal(bytes);
    expect(String(fields.bytesAt(at(2)))).not.to.equal(text);
    expect(String(bytes)).to.equal(text);
  });

  it("keep no bytes for who asks for them once", () => {
    const once = fields.bytesOnceAt(at(0));
    const bytes = fields.bytesAt(at(0));

    expect(bytes).to.not.equal(once);
    expect(bytes).to.deep.equal(once);
    expect(fields.bytesOnceAt(at(0))).to.equal(bytes);
    expect(fields.bytesOnceAt(at(2))).to.deep.equal(fields.bytesAt(at(2)));
  });

  it("keep texts in one piece, not as the parts that they were put together of", () => {
    const before = heapUsed();
    const all = Array.from({ length: 10_000 }, (_, index) => new Fields(cellsOfPod(index)));
    const each = (heapUsed() - before) / all.length;

    expect(each).to.be.within(200, 900); // 610 bytes; with parts 1,270
  });
});

function cellsOfPod(index: number): readonly Cell[] {
  const restarts = { restarts: index % 3, since: begin };
  return [
    ...[`pod-${index}`, "1/1", "Running", restarts, { since: begin }],
    ...[`10.0.0.${index}`, `node-${index}`, "<none>", "<none>"],
  ];
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
