import { expect } from "chai";
import {
  type Comparison,
  compareBefore,
  compareNewest,
  compareThen,
  type Sample,
} from "./comparison.ts";
import type { LastTold } from "./position.ts";

const last = (resourceVersion: string, deleted = false): LastTold => ({
  ...{ name: "a", namespace: "b", uid: "u" },
  ...{ resourceVersion, deleted },
});
const gone = (resourceVersion: string): LastTold => last(resourceVersion, true);
const found = (resourceVersion: string, uid = "u") => ({ resourceVersion, uid });

/** What was told, up to 100 unless said otherwise, and what the server says. */
interface Row {
  readonly what: string;
  readonly upTo?: string;
  readonly told?: LastTold;
  readonly selects?: boolean;
  readonly at?: string;
  readonly there?: Sample["found"];
  readonly isWhole?: boolean;
  readonly expected: Comparison;
}

const newest: readonly Row[] = [
  { what: "a server that is not as far", at: "99", expected: "lost" },
  { what: "one with fewer digits", at: "9", there: found("1"), expected: "lost" },
  { what: "no revision", at: "", expected: "unknown" },
  { what: "revision 0", at: "0", told: last("90"), there: found("90"), expected: "unknown" },
  { what: "a position of another form", upTo: "rev-1", there: found("90"), expected: "unknown" },
  {
    what: "told versions of another form",
    ...{ told: last("rev-01"), there: found("90"), expected: "unknown" },
  },
  {
    what: "an object without a version",
    ...{ told: last("90"), there: found(""), expected: "unknown" },
  },
  { what: "the same state", told: last("90"), there: found("90"), expected: "holds" },
  { what: "another object", told: last("90"), there: found("90", "v"), expected: "lost" },
  { what: "an older object", told: last("90"), there: found("80"), expected: "lost" },
  { what: "a later change", told: last("90"), there: found("101"), expected: "changed" },
  { what: "an untold change", told: last("90"), there: found("100"), expected: "lost" },
  {
    what: "an untold change of what is selected",
    ...{ told: last("90"), selects: true, there: found("91"), expected: "lost" },
  },
  { what: "an object that is gone", told: last("90"), expected: "changed" },
  { what: "one that is not shown", told: last("90"), isWhole: false, expected: "unknown" },
  {
    what: "one among others",
    ...{ told: last("90"), there: found("90"), isWhole: false, expected: "holds" },
  },
  { what: "a deletion", told: gone("90"), expected: "changed" },
  {
    what: "one undone at its own revision",
    told: gone("90"),
    there: found("90"),
    expected: "lost",
  },
  { what: "one undone", told: gone("90"), there: found("80"), expected: "lost" },
  { what: "one made anew", told: gone("90"), there: found("101"), expected: "changed" },
  { what: "one made anew, untold", told: gone("90"), there: found("100"), expected: "lost" },
  {
    what: "one that left a selection",
    ...{ told: gone("9"), selects: true, there: found("9"), expected: "holds" },
  },
  {
    what: "one that changed after it left a selection",
    ...{ told: gone("90"), selects: true, there: found("95"), expected: "changed" },
  },
  { what: "nothing, as before", expected: "holds" },
  { what: "nothing that is shown", isWhole: false, expected: "unknown" },
  { what: "the first object", there: found("101"), expected: "unknown" },
  { what: "one that should have been told", there: found("100"), expected: "lost" },
];

describe("compareNewest", () => {
  for (const { what, upTo = "100", told, selects = false, at = "120", ...row } of newest) {
    it(`takes ${what} for ${row.expected}`, () => {
      const sample = { resourceVersion: at, found: row.there, isWhole: row.isWhole ?? true };

      const answer = compareNewest({ resourceVersion: upTo, last: told, selects }, sample);

      expect(answer).to.equal(row.expected);
    });
  }
});

const then: readonly (Row & { readonly told: LastTold })[] = [
  { what: "as it was told", told: last("90"), there: found("90"), expected: "holds" },
  {
    what: "of another time",
    ...{ told: last("90"), at: "120", there: found("90"), expected: "unknown" },
  },
  { what: "not there", told: last("90"), expected: "lost" },
  { what: "not shown", told: last("90"), isWhole: false, expected: "unknown" },
  { what: "older", told: last("90"), there: found("80"), expected: "lost" },
  { what: "newer", told: last("90"), there: found("95"), expected: "lost" },
  { what: "another", told: last("90"), there: found("90", "v"), expected: "lost" },
  { what: "deleted", told: gone("90"), expected: "changed" },
  { what: "deleted and still there", told: gone("90"), there: found("9"), expected: "lost" },
  { what: "deleted at its own version", told: gone("90"), there: found("90"), expected: "unknown" },
  { what: "deleted and there anew", told: gone("90"), there: found("95"), expected: "lost" },
  {
    what: "no longer selected",
    ...{ told: gone("90"), selects: true, there: found("95"), expected: "changed" },
  },
  {
    what: "no longer selected, and older",
    ...{ told: gone("90"), selects: true, there: found("80"), expected: "lost" },
  },
];

describe("compareThen", () => {
  for (const { what, told, selects = false, at = "100", there, isWhole = true, expected } of then) {
    it(`takes what was ${what} for ${expected}`, () => {
      const sample = { resourceVersion: at, found: there, isWhole };

      const answer = compareThen({ resourceVersion: "100", last: told, selects }, sample);

      expect(answer).to.equal(expected);
    });
  }
});

describe("compareBefore", () => {
  for (const { what, at = "89", there, isWhole = true, expected } of [
    { what: "was there", there: found("9"), expected: "holds" },
    { what: "was never there", expected: "lost" },
    { what: "is not shown", isWhole: false, expected: "unknown" },
    { what: "was there at another time", at: "120", there: found("9"), expected: "unknown" },
  ] satisfies readonly Row[]) {
    it(`takes what ${what} for ${expected}`, () => {
      const sample = { resourceVersion: at, found: there, isWhole };

      expect(compareBefore("89", sample)).to.equal(expected);
    });
  }
});
