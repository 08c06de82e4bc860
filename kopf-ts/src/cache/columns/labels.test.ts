import { expect } from "chai";
import { Rows } from "../rows.ts";
import { LabelColumn } from "./labels.ts";
import { SelectorError } from "./selector.ts";

function fill(sets: readonly string[]): { readonly rows: Rows; readonly labels: LabelColumn } {
  const rows = new Rows();
  const labels = new LabelColumn(rows);
  for (const [row, text] of sets.entries()) {
    rows.add(`key-${row}`);
    labels.set(row, text);
  }
  return { rows, labels };
}

function selected({ rows, labels }: ReturnType<typeof fill>, selector: string): readonly number[] {
  const mask = Uint8Array.from(rows.alive.subarray(0, rows.end));
  labels.narrow(mask, rows.end, selector);
  return [...mask.keys()].filter((row) => mask[row] === 1);
}

describe("LabelColumn", () => {
  it("selects rows by their labels", () => {
    const filled = fill(['{"a":"1"}', "", '{"a":"2","b":"1"}', '{"a":"1"}']);

    expect(selected(filled, "a=1")).to.deep.equal([0, 3]);
    expect(selected(filled, "!b")).to.deep.equal([0, 1, 3]);
    expect(selected(filled, "a,b")).to.deep.equal([2]);
    expect(selected(filled, "")).to.deep.equal([0, 1, 2, 3]);
  });

  it("selects rows whose labels are written in another way", () => {
    const filled = fill([
      '{"a":"\\u0031"}',
      '{"\\u0061":"1"}',
      '{ "a" : "1" }',
      '{"b":"1"}',
      '{"1":"a"}',
    ]);

    expect(selected(filled, "a=1")).to.deep.equal([0, 1, 2]);
    expect(selected(filled, "b=1,a!=1")).to.deep.equal([3]);
    expect(selected(filled, "a notin (1)")).to.deep.equal([3, 4]);
    expect(selected(filled, "a=")).to.deep.equal([]);
  });

  it("says whether a row's labels differ from before", () => {
    const { labels } = fill(['{"a":"1"}', ""]);

    expect(labels.set(0, '{"a":"1"}')).to.equal(false);
    expect(labels.set(0, '{"a":"2"}')).to.equal(true);
    expect(labels.set(1, "")).to.equal(false);
    expect(labels.get(0)).to.deep.equal({ a: "2" });
    expect(labels.get(1)).to.deep.equal({});
  });

  it("answers anew for a set that took the place of another", () => {
    const filled = fill(['{"a":"1"}', '{"a":"9"}']);
    const before = selected(filled, "a=1");

    filled.labels.set(0, '{"b":"1"}');
    filled.labels.set(1, '{"a":"1","c":"1"}');
    const after = selected(filled, "a=1");
    filled.labels.delete(1);
    filled.labels.set(0, '{"a":"1","d":"1"}');

    expect(before).to.deep.equal([0]);
    expect(after).to.deep.equal([1]);
    expect(selected(filled, "a=1")).to.deep.equal([0]);
  });

  it("shows one label as a column, absent where a set has none", () => {
    const { labels } = fill(['{"a":"1"}', '{"b":"\\"a\\""}', '{"\\u0061":"3"}', "", "[7]"]);
    const view = labels.view("a");
    const select = (op: "=" | "!="): readonly number[] => {
      const out = new Uint8Array(5);
      view.select({ column: "", op, value: "1" }, out, 5);
      return [...out];
    };
    const before = [0, 1, 2, 3, 4].map((row) => view.get(row));

    expect(before).to.deep.equal(["1", undefined, "3", undefined, undefined]);
    expect([select("="), select("!=")]).to.deep.equal([
      [1, 0, 0, 0, 0],
      [0, 1, 1, 1, 1],
    ]);
    expect(view.compare(3, 0)).to.be.below(0);
    labels.set(0, '{"a":"9"}'); // in the place of the set that went
    expect(view.get(0)).to.equal("9");
  });

  it("counts what searches keep, and lets go of it", () => {
    const filled = fill(Array.from({ length: 100 }, (_, row) => `{"a":"${row % 50}"}`));
    const { labels } = filled;
    const view = labels.view("a");
    const before = labels.bytes;

    const found = selected(filled, "a=7");
    const searched = labels.bytes;
    const value = view.get(7);
    const viewed = labels.bytes;
    labels.trim();

    expect(searched).to.be.at.least(before + 50);
    expect(viewed).to.be.greaterThan(searched);
    expect(labels.bytes).to.equal(before);
    expect([value, view.get(7), labels.view("a").get(7)]).to.deep.equal(["7", "7", "7"]);
    expect(selected(filled, "a=7")).to.deep.equal(found);
  });

  it("keeps its verdicts right while sets come and go", () => {
    const filled = fill(Array.from({ length: 50 }, () => ""));
    for (let step = 0; step < 2000; step++) {
      filled.labels.set((step * 7) % 50, `{"n":"${(step * 13) % 97}","step":"${step % 31}"}`);
      const wanted = `n=${step % 97}`;
      const expected = [...filled.rows.alive.subarray(0, 50).keys()].filter(
        (row) => filled.labels.get(row).n === String(step % 97),
      );
      expect(selected(filled, wanted)).to.deep.equal(expected);
    }
  });

  for (const text of ['{"a":1}', "[]", "{", '"x"', "null"]) {
    it(`takes ${text} for no labels`, () => {
      expect(selected(fill([text]), "!a")).to.deep.equal([0]);
    });
  }

  it("refuses a text that is no selector", () => {
    expect(() => selected(fill([""]), "a in")).to.throw(SelectorError);
  });
});
