import { expect } from "chai";
import { parse } from "yaml";
import type { FormName } from "./form.ts";
import { formats, type SummaryEntry } from "./formats.ts";

describe("the end of a list", () => {
  const counts: SummaryEntry["counts"] = [
    ["", { total: 1 }],
    ["10", { total: 2 }],
    ["9", { total: 3, namespace: { a: 1, b: 2 } }],
    ['"quoted"\n: - text', { total: 4 }],
    ...Array.from({ length: 2000 }, (_, index) => [`x${index}`, { total: index }] as const),
  ];
  const summary = [
    { property: "metadata.name", counts },
    { property: "metadata.labels[a: b]", counts: counts.slice(1, 2) },
  ];
  const expected = summary.map((entry) => ({ ...entry, counts: Object.fromEntries(entry.counts) }));
  const written = (name: FormName, isEmpty = true): readonly string[] => [
    ...formats[name].end(summary, isEmpty),
  ];

  it("tells summaries as JSON", () => {
    expect(JSON.parse(`{"data":[${written("json").join("")}`)).to.deep.equal({
      data: [],
      summary: expected,
    });
  });

  it("tells summaries as lines of JSON, with an empty one at the end", () => {
    const lines = written("jsonl").join("").split("\n");
    expect(lines.slice(-2)).to.deep.equal(["", ""]);
    expect(lines.slice(0, -2).map((line) => JSON.parse(line))).to.deep.equal(expected);
  });

  it("tells summaries as YAML", () => {
    expect(parse(written("yaml").join(""))).to.deep.equal({ data: [], summary: expected });
    expect(parse(`data:\n- 1\n${written("yaml", false).join("")}`).summary).to.deep.equal(expected);
  });

  it("tells values in their order, whatever they look like", () => {
    const text = written("json").join("");
    expect(text.indexOf('"10":')).to.be.within(0, text.indexOf('"9":'));
  });

  for (const name of ["json", "jsonl", "yaml"] as const) {
    it(`comes in small pieces as ${name}`, () => {
      const longest = Math.max(...written(name).map(({ length }) => length));
      expect(longest).to.be.lessThan(20_000);
    });
  }
});
