import { expect } from "chai";
import { QueryError } from "./errors.ts";
import { parseFilter, type Requirement } from "./filter.ts";

const name = ["metadata", "name"];
const app = ["metadata", "labels", "app"];

const read: readonly (readonly [text: string, ...requirements: Requirement[]])[] = [
  [""],
  ["  "],
  ["metadata.name=web", { field: name, op: "=", value: "web" }],
  ["metadata.name==web", { field: name, op: "=", value: "web" }],
  [" metadata.name = web ", { field: name, op: "=", value: "web" }],
  ["metadata.name!=web", { field: name, op: "!=", value: "web" }],
  ["metadata.name~we", { field: name, op: "~", value: "we" }],
  ["metadata.name!~we", { field: name, op: "!~", value: "we" }],
  ["spec.replicas<3", { field: ["spec", "replicas"], op: "<", value: 3 }],
  ["spec.replicas gt 3", { field: ["spec", "replicas"], op: ">", value: 3 }],
  ["spec.replicas lt '-3'", { field: ["spec", "replicas"], op: "<", value: -3 }],
  ["spec.big<9007199254740993", { field: ["spec", "big"], op: "<", value: 9007199254740993n }],
  ["spec.big>9007199254740991", { field: ["spec", "big"], op: ">", value: 9007199254740991 }],
  ["spec.big>'-9223372036854775808'", { field: ["spec", "big"], op: ">", value: -(2n ** 63n) }],
  ["metadata.name in (a,b)", { field: name, op: "in", values: ["a", "b"] }],
  ["metadata.name IN (a, a)", { field: name, op: "in", values: ["a"] }],
  ["metadata.name notin (in)", { field: name, op: "notin", values: ["in"] }],
  ["metadata.name in ()", { field: name, op: "in", values: [""] }],
  ["metadata.name in (,a)", { field: name, op: "in", values: ["", "a"] }],
  ["metadata.name in (a,,b,)", { field: name, op: "in", values: ["a", "", "b"] }],
  ["spec.args contains x", { field: ["spec", "args"], op: "contains", value: "x" }],
  ["spec.args NotContains 'x y'", { field: ["spec", "args"], op: "notcontains", value: "x y" }],
  ["metadata.labels.app", { field: app, op: "exists" }],
  ["!metadata.labels[app]", { field: app, op: "absent" }],
  [
    "metadata.labels[app.kubernetes.io/name]=a.b/c-d:e",
    { field: ["metadata", "labels", "app.kubernetes.io/name"], op: "=", value: "a.b/c-d:e" },
  ],
  [
    "spec.containers.image[0]=a",
    { field: ["spec", "containers", "image", "0"], op: "=", value: "a" },
  ],
  ["metadata.name='a,b=(c)'", { field: name, op: "=", value: "a,b=(c)" }],
  ['metadata.name="say \\"hi\\" \\\\"', { field: name, op: "=", value: 'say "hi" \\' }],
  ["metadata.name=''", { field: name, op: "=", value: "" }],
  [
    "metadata.name=a,metadata.labels.app",
    { field: name, op: "=", value: "a" },
    { field: app, op: "exists" },
  ],
];

const refused: readonly (readonly [text: string, why: string])[] = [
  ["x=", "found the end, expected: a value to compare with"],
  ["x==a==b", "found '==', expected: ','"],
  ["!x=a", "only labels can exist or be absent: 'x' is none"],
  ["!metadata.labels.x=a", "found '=', expected: ','"],
  ["x", "only labels can exist or be absent: 'x' is none"],
  ["x=a||y=b", "found '=', expected: ','"],
  ["x=a,", "found the end, expected: an identifier after ','"],
  [",x=a", "found ',', expected: an identifier"],
  ["x<a", "found 'a', expected: an integer"],
  ["x<1.5", "found '1.5', expected: an integer"],
  ["x<9223372036854775808", "found '9223372036854775808', expected: an integer of 64 bits"],
  ["x>'-9223372036854775809'", "expected: an integer of 64 bits"],
  [`x>${"9".repeat(100_000)}`, "expected: an integer of 64 bits"],
  ["x in a", "found 'a', expected: '('"],
  ["x in (a", "found the end, expected: ','"],
  ["x in ('a')", "found 'a', expected: a value or ')'"],
  ["x in (a b)", "found 'b', expected: ','"],
  ["x is a", "found 'is', expected: one of ="],
  ["x='a", "unterminated string starting with 'a"],
  ["x=a b", "found 'b', expected: ','"],
  ["-x=a", 'unexpected "-x=a"'],
  ["x..y=a", '"x..y" is no path of a field'],
  ["x[y=a", '"x[y" is no path of a field'],
  ["x[]=a", '"x[]" is no path of a field'],
];

describe("parseFilter", () => {
  for (const [text, ...requirements] of read) {
    it(`reads ${text === "" ? "nothing" : text}`, () => {
      expect(parseFilter(text)).to.deep.equal(requirements);
    });
  }

  for (const [text, why] of refused) {
    it(`refuses ${text.slice(0, 100)}`, () => {
      expect(() => parseFilter(text))
        .to.throw(QueryError, why)
        .with.property("parameter", "filter");
    });
  }

  it("tells a long text in short", () => {
    expect(() => parseFilter(`x=${"a ".repeat(10_000)}`))
      .to.throw(QueryError)
      .with.property("message")
      .with.length.below(200);
  });

  it("reads the longest text that a URL holds", () => {
    const many = Array.from({ length: 3000 }, (_, at) => `metadata.name='n-${at}'`).join();

    expect(parseFilter(many)).to.have.length(3000);
    expect(() => parseFilter(`x='${"\\".repeat(100_001)}`)).to.throw(QueryError, "unterminated");
  });
});
