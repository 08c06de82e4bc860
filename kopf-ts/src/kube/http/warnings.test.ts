import { expect } from "chai";
import { type Logger, silentLogger } from "../../base/index.ts";
import { Warnings, warningsIn } from "./warnings.ts";

describe("warningsIn", () => {
  for (const { name, values, expected } of [
    {
      name: "reads one",
      values: ['299 - "v1 Endpoints is deprecated"'],
      expected: ["v1 Endpoints is deprecated"],
    },
    {
      name: "reads several in one header",
      values: ['299 - "a", 299 - "b, c"'],
      expected: ["a", "b, c"],
    },
    { name: "reads several headers", values: ['299 - "a"', '299 - "b"'], expected: ["a", "b"] },
    {
      name: "unescapes",
      values: ['299 - "unknown field \\"x\\""'],
      expected: ['unknown field "x"'],
    },
    { name: "ignores nonsense", values: ["hello"], expected: [] },
  ]) {
    it(name, () => expect(warningsIn(values).map(({ text }) => text)).to.deep.equal(expected));
  }

  it("tells code and agent", () => {
    expect(warningsIn(['299 kube "a", 199 - "b"'])).to.deep.equal([
      { code: "299", agent: "kube", text: "a" },
      { code: "199", agent: "-", text: "b" },
    ]);
  });
});

describe("Warnings", () => {
  it("logs each text once", () => {
    const lines: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (_message, fields) => lines.push(fields) };
    const warnings = new Warnings(logger);

    warnings.read({ warning: '299 - "a"' }, "/x");
    warnings.read({ warning: ['299 - "a"', '299 - "b"'] }, "/y");
    warnings.read({}, "/z");

    expect(lines).to.deep.equal([
      { warning: "a", path: "/x" },
      { warning: "b", path: "/y" },
    ]);
  });

  it("writes one line for an answer of many", () => {
    const lines: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (_message, fields) => lines.push(fields) };
    const texts = Array.from({ length: 1000 }, (_, index) => `299 - "unknown field ${index}"`);

    new Warnings(logger).read({ warning: texts }, "/x");

    expect(lines).to.deep.equal([{ warning: "unknown field 0", more: 999, path: "/x" }]);
  });
});
