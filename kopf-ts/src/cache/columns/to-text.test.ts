import { expect } from "chai";
import { randomObject, seededRandom } from "../../testing/index.ts";
import { toText } from "./to-text.ts";

const seed = Number(process.env.FUZZ_SEED ?? 5);

/** The rule without its bounds. */
function plainly(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((each) => plainly(each) ?? "").join("|");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

describe("toText", () => {
  for (const { value, text } of [
    { value: undefined, text: undefined },
    { value: null, text: undefined },
    { value: "a", text: "a" },
    { value: 1.5, text: "1.5" },
    { value: Number.NaN, text: "NaN" },
    { value: 10n, text: "10" },
    { value: false, text: "false" },
    { value: [], text: "" },
    { value: ["a", null, 1, ["b", ["c"]], undefined], text: "a||1|b|c|" },
    { value: [{ a: ["x"] }, {}], text: '{"a":["x"]}|{}' },
    { value: { a: undefined, b: null, c: [undefined, 1n] }, text: '{"b":null,"c":[null,1]}' },
    { value: { "é\n": "\ud800" }, text: '{"é\\n":"\\ud800"}' },
    { value: new Date(0), text: '"1970-01-01T00:00:00.000Z"' },
    { value: { at: new Date(0) }, text: '{"at":"1970-01-01T00:00:00.000Z"}' },
    { value: { toJSON: () => ["x"] }, text: "x" },
    { value: { toJSON: 1 }, text: '{"toJSON":1}' },
  ]) {
    it(`makes ${JSON.stringify(text)} of a value`, () => {
      expect(toText(value)).to.equal(text);
    });
  }

  it(`is the JSON of random objects (seed ${seed})`, () => {
    const random = seededRandom(seed);
    for (let i = 0; i < 1_000; i++) {
      const value: unknown = JSON.parse(randomObject(random).toString());
      const values = [value, [value], Object.values(value ?? {})];
      for (const each of values) expect(toText(each)).to.equal(plainly(each));
    }
  });

  it("cuts long texts", () => {
    const long = "é".repeat(100_000);
    for (const value of [long, [long], { a: long }, { [long]: 1 }, Array(100_000).fill(1)]) {
      expect(toText(value)).to.have.length(64 * 1024);
    }
    expect(toText("x".repeat(64 * 1024))).to.have.length(64 * 1024);
  });

  it("keeps nothing of a text that it cut alive", () => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;

    const kept = Array.from({ length: 20 }, (_, n) => toText(String(n).repeat(2_000_000)));
    globalThis.gc?.();

    // The texts have 60 MB, what is kept of them 1.3.
    expect(process.memoryUsage().heapUsed - before).to.be.lessThan(15_000_000);
    expect(kept).to.have.length(20);
  });

  it("ends for whatever contains itself, in every way", () => {
    const list: unknown[] = [];
    list.push(list, list, list);
    const object: Record<string, unknown> = {};
    object.a = object.b = [object, list];
    const lone: unknown[] = [];
    lone.push(lone);

    const start = performance.now();
    expect(toText(list)).to.match(/^\|+$/);
    expect(toText(object)).to.match(/^\{"b":\[\{"b":/);
    expect(toText(lone)).to.equal("");
    expect(performance.now() - start).to.be.lessThan(500);
  });

  it("needs no stack for deep values", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);

    expect(toText(deep)).to.equal("");
    expect(toText({ deep })).to.equal(`{"deep":${"[".repeat(63)}null${"]".repeat(63)}}`);
  });
});
