import { expect } from "chai";
import { type Random, seededRandom } from "../testing/index.ts";
import {
  compare,
  compareBefore,
  compareNewest,
  compareThen,
  type Sample,
  type ToldSoFar,
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
  readonly at?: string;
  readonly there?: Sample["found"];
  readonly isWhole?: boolean;
  readonly expected: ReturnType<typeof compareNewest>;
}

function table(
  rows: readonly Row[],
  usual: string,
  answerOf: (row: Row, sample: Sample) => Row["expected"],
): void {
  for (const row of rows) {
    it(`takes ${row.what} for ${row.expected}`, () => {
      const { at = usual, there, isWhole = true } = row;

      const answer = answerOf(row, { resourceVersion: at, found: there, isWhole });

      expect(answer).to.equal(row.expected);
    });
  }
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
  { what: "nothing, as before", expected: "holds" },
  { what: "nothing that is shown", isWhole: false, expected: "unknown" },
  { what: "the first object", there: found("101"), expected: "changed" },
  { what: "one that should have been told", there: found("100"), expected: "lost" },
];

describe("compareNewest", () => {
  table(newest, "120", ({ upTo = "100", told }, sample) =>
    compareNewest({ resourceVersion: upTo, last: told }, sample),
  );
});

const then: readonly Row[] = [
  { what: "the object as it was told", told: last("90"), there: found("90"), expected: "holds" },
  { what: "another time", told: last("90"), at: "120", there: found("90"), expected: "unknown" },
  { what: "nothing", told: last("90"), expected: "lost" },
  { what: "nothing that is shown", told: last("90"), isWhole: false, expected: "unknown" },
  { what: "an older one", told: last("90"), there: found("80"), expected: "lost" },
  { what: "a newer one", told: last("90"), there: found("95"), expected: "lost" },
  { what: "another one", told: last("90"), there: found("90", "v"), expected: "lost" },
  { what: "nothing after a deletion", told: gone("90"), expected: "holds" },
  { what: "an object in spite of one", told: gone("90"), there: found("9"), expected: "lost" },
  { what: "one made anew", told: gone("90"), there: found("95"), expected: "lost" },
  {
    what: "one whose deletion bore its own version",
    ...{ told: gone("90"), there: found("90"), expected: "unknown" },
  },
];

describe("compareThen", () => {
  table(then, "100", ({ told = last("90") }, sample) => compareThen(told, "100", sample));
});

const before: readonly Row[] = [
  { what: "the object", there: found("9"), expected: "holds" },
  { what: "another one", there: found("9", "v"), expected: "lost" },
  { what: "nothing", expected: "lost" },
  { what: "nothing that is shown", isWhole: false, expected: "unknown" },
  { what: "another time", at: "120", there: found("9"), expected: "unknown" },
];

describe("compareBefore", () => {
  table(before, "89", (_, sample) => compareBefore(gone("90"), "89", sample));
});

/** An object at a revision, whose bearer may match what a watch selects. */
interface Version {
  readonly revision: number;
  readonly uid: string;
  readonly isSeen: boolean;
}

/** What became of one name in an etcd, whose other keys move the revision as well. */
class Etcd {
  readonly #versions: readonly Version[];
  readonly revision: number;

  constructor(versions: readonly Version[] = [], revision = 1) {
    this.#versions = versions;
    this.revision = revision;
  }

  /** Goes on for so many revisions. */
  after(steps: number, random: Random): Etcd {
    const versions = [...this.#versions];
    for (let revision = this.revision + 1; revision <= this.revision + steps; revision++) {
      if (random.below(3) > 0) continue;
      const { uid = "", isSeen = false } = versions.at(-1) ?? {};
      const isDeleted = uid !== "" && random.below(3) === 0;
      versions.push(
        isDeleted
          ? { revision, uid: "", isSeen: false }
          : {
              ...{ revision, uid: uid || `u${random.below(1e9)}` },
              isSeen: random.below(3) > 0 || !isSeen,
            },
      );
    }
    return new Etcd(versions, this.revision + steps);
  }

  backup(revision: number): Etcd {
    return new Etcd(
      this.#versions.filter((each) => each.revision <= revision),
      revision,
    );
  }

  hasChange(from: number, to = from): boolean {
    return this.#versions.some(({ revision }) => revision >= from && revision <= to);
  }

  sample(at = this.revision): Sample {
    const version = this.#versions.findLast(({ revision }) => revision <= at);
    const there =
      version?.isSeen === true ? found(String(version.revision), version.uid) : undefined;
    return { resourceVersion: String(at), found: there, isWhole: true };
  }

  /** What a watch told that began with a list. */
  told(from: number): ToldSoFar {
    let seen = this.sample(from).found;
    let told = seen && { ...last(seen.resourceVersion), uid: seen.uid };
    for (const { revision, uid, isSeen } of this.#versions) {
      if (revision <= from) continue;
      const now = isSeen ? found(String(revision), uid) : undefined;
      const of = now ?? seen;
      seen = now;
      if (of !== undefined) told = { ...last(String(revision), !isSeen), uid: of.uid };
    }
    return { resourceVersion: String(this.revision), last: told };
  }
}

type Told = ToldSoFar & { readonly last: LastTold };
const hasLast = (told: ToldSoFar): told is Told => told.last !== undefined;

/** Whether a restored server shows it by the object that was told last. It need not where another change has the revision of a lost one. */
function isShown({ resourceVersion, last }: Told, backup: Etcd, now: Etcd): boolean {
  const [upTo, at] = [Number(resourceVersion), Number(last.resourceVersion)];
  if (at > backup.revision) return !now.hasChange(at);
  if (!last.deleted) return now.hasChange(backup.revision + 1, upTo);
  return now.revision >= upTo && now.sample(upTo).found !== undefined;
}

describe("compare", () => {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
  const cases = Number(process.env.FUZZ_CASES ?? 5_000);

  it(`never finds a healthy server to have lost anything (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    for (let i = 0; i < cases; i++) {
      const then = new Etcd().after(random.below(20), random);
      const now = then.after(random.below(20), random);
      const told = then.told(1 + random.below(then.revision));

      const answer = await compare(told, async (at) =>
        now.sample(at === undefined ? undefined : Number(at)),
      );

      expect(answer, `${i}: ${JSON.stringify({ told, now })}`).to.not.equal("lost");
    }
  });

  it(`finds that a restored one has lost what was told last, or changed or undid it sooner than it could, unless that was at the same revision (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const answers = new Set<string>();
    for (let i = 0; i < cases; i++) {
      const then = new Etcd().after(1 + random.below(20), random);
      const told = then.told(1 + random.below(then.revision));
      const backup = then.backup(1 + random.below(then.revision - 1));
      const now = backup.after(random.below(40), random);
      if (!hasLast(told) || !isShown(told, backup, now)) continue;

      const answer = await compare(told, async (at) =>
        now.sample(at === undefined ? undefined : Number(at)),
      );

      expect(answer, `${i}: ${JSON.stringify({ told, now })}`).to.equal("lost");
      const isLost = Number(told.last.resourceVersion) > backup.revision;
      answers.add(`${told.last.deleted} ${then.revision <= now.revision} ${isLost}`);
    }
    expect(answers.size, "deletions or not, passed again or not, lost or not").to.equal(7);
  });
});
