import { expect } from "chai";
import { type Labels, matches, parseSelector, SelectorError } from "./selector.ts";

const web = { app: "web", tier: "front", weight: "10", empty: "" };

// Expectations follow apimachinery's own: absent labels satisfy != and notin, and nothing else.
for (const { selector, labels = web, expected } of [
  { selector: "", expected: true },
  { selector: "", labels: {}, expected: true },
  { selector: "app=web", expected: true },
  { selector: "app==web", expected: true },
  { selector: "app = web , tier = front", expected: true },
  { selector: "app=web,tier=back", expected: false },
  { selector: "app=", expected: false },
  { selector: "empty=", expected: true },
  { selector: "app!=web", expected: false },
  { selector: "app!=db", expected: true },
  { selector: "absent!=x", expected: true },
  { selector: "absent=x", expected: false },
  { selector: "absent=", expected: false },
  { selector: "app in (web,db)", expected: true },
  { selector: "app in(db)", expected: false },
  { selector: "absent in (a,b)", expected: false },
  { selector: "empty in (,x)", expected: true },
  { selector: "empty in ()", expected: true },
  { selector: "app in ()", expected: false },
  { selector: "app notin ()", expected: true },
  { selector: "app notin (db, cache)", expected: true },
  { selector: "app notin (web)", expected: false },
  { selector: "absent notin (a)", expected: true },
  { selector: "app", expected: true },
  { selector: "empty", expected: true },
  { selector: "absent", expected: false },
  { selector: "!app", expected: false },
  { selector: "! absent", expected: true },
  { selector: "weight>9", expected: true },
  { selector: "weight > 10", expected: false },
  { selector: "weight<11", expected: true },
  { selector: "weight<-1", expected: false },
  { selector: "n>9007199254740992", labels: { n: "9007199254740993" }, expected: true },
  { selector: "n>9007199254740993", labels: { n: "9007199254740993" }, expected: false },
  { selector: "n<9007199254740993", labels: { n: "9007199254740992" }, expected: true },
  { selector: "n>5", labels: { n: "9223372036854775807" }, expected: true },
  { selector: "n>5", labels: { n: "9223372036854775808" }, expected: false },
  { selector: "n<5", labels: { n: "-9223372036854775809" }, expected: false },
  { selector: "n<+5", labels: { n: "4" }, expected: true },
  { selector: "app>1", expected: false },
  { selector: "absent<1", expected: false },
  { selector: "in in (x)", labels: { in: "x" }, expected: true },
  { selector: "app=notin", labels: { app: "notin" }, expected: true },
  { selector: "example.com/a_b=c.d-e", labels: { "example.com/a_b": "c.d-e" }, expected: true },
  { selector: "constructor", labels: {}, expected: false },
  { selector: "!toString", labels: {}, expected: true },
] as readonly { selector: string; labels?: Labels; expected: boolean }[]) {
  describe(`selector ${JSON.stringify(selector)}`, () => {
    it(`${expected ? "matches" : "does not match"} ${JSON.stringify(labels)}`, () => {
      expect(matches(parseSelector(selector), labels)).to.equal(expected);
    });
  });
}

describe("parseSelector", () => {
  for (const text of [
    ",",
    "a,",
    ",a",
    "=x",
    "!",
    "!a=b",
    "a=b=c",
    "a in",
    "a in x",
    "a in (x",
    "a notin (x,y",
    "a b",
    "a>x",
    "a>9223372036854775808",
    "a<",
    "a=b c",
    "a)",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseSelector(text)).to.throw(SelectorError, "label selector");
    });
  }

  it("says where it stopped understanding", () => {
    expect(() => parseSelector("a=b, c in x")).to.throw(
      'label selector "a=b, c in x": expected ( at 10',
    );
  });
});
