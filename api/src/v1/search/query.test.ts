import { expect } from "chai";
import { Problem } from "../problem.ts";
import { parseSearch, type SearchQuery } from "./query.ts";

const usual: SearchQuery = { words: [], types: undefined, namespaces: undefined, limit: 50 };

const read: readonly (readonly [text: string, found: Partial<SearchQuery>])[] = [
  ["q=web", { words: ["web"] }],
  ["q=+Web%09PROD web", { words: ["web", "prod"] }],
  ["q=app%3DWeb&limit=500", { words: ["app=web"], limit: 500 }],
  [
    "q=a&types=pods,,apps.deployment&types=secret",
    { words: ["a"], types: ["pods", "apps.deployment", "secret"] },
  ],
  ["q=a&namespaces=x,y&limit=", { words: ["a"], namespaces: new Set(["x", "y"]) }],
  ["q=a&types=&namespaces=,", { words: ["a"] }],
];

const refused: readonly (readonly [text: string, parameter: string, code: string])[] = [
  ["", "q", "MissingRequired"],
  ["q=+%20", "q", "MissingRequired"],
  ["q=a&q=b", "q", "InvalidFormat"],
  [`q=${"a".repeat(257)}`, "q", "InvalidFormat"],
  ["q=a b c d e f g h i", "q", "InvalidFormat"],
  ["q=a&limit=0", "limit", "InvalidFormat"],
  ["q=a&limit=501", "limit", "InvalidFormat"],
  ["q=a&limit=-1", "limit", "InvalidFormat"],
  ["q=a&limit=1e2", "limit", "InvalidFormat"],
  ["q=a&limit=99999999999999999999", "limit", "InvalidFormat"],
  [`q=a&types=${"a,".repeat(501)}`, "types", "InvalidFormat"],
  [`q=a&namespaces=${"a,".repeat(501)}`, "namespaces", "InvalidFormat"],
];

describe("parseSearch", () => {
  for (const [text, found] of read) {
    it(`reads ?${text}`, () => {
      expect(parseSearch(new URLSearchParams(text))).to.deep.equal({ ...usual, ...found });
    });
  }

  for (const [text, fieldName, code] of refused) {
    it(`refuses ?${text.slice(0, 40)}`, () => {
      expect(() => parseSearch(new URLSearchParams(text)))
        .to.throw(Problem)
        .that.includes({ status: 422, code, fieldName });
    });
  }
});
