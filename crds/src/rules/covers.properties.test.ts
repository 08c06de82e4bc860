import { expect } from "chai";
import type { PolicyRule } from "kopf-ts/kinds";
import { type Random, seededRandom } from "kopf-ts/testing";
import { covers } from "./covers.ts";
import {
  allows,
  anyRule,
  atoms,
  atomsOf,
  everyRequest,
  narrowed,
  rulesOf,
  validRule,
} from "./oracle.test.support.ts";

const rounds = 400;
const first = Number(process.env.RULES_SEED ?? 1);

type MakeRule = (random: Random) => PolicyRule;

interface Pair {
  readonly owner: readonly PolicyRule[];
  readonly wanted: readonly PolicyRule[];
}

/** Owner and wanted, half of the time with wanted cut from owner, so that both answers are frequent. */
function pair(random: Random, rule: MakeRule): Pair {
  const owner = rulesOf(random, rule, 4);
  const wanted = random.chance(0.5) ? narrowed(random, owner) : rulesOf(random, rule, 2);
  return { owner, wanted };
}

/** Runs a check with many seeds; a failure names its seed. */
function always(check: (random: Random) => void): void {
  for (let seed = first; seed < first + rounds; seed++) {
    try {
      check(seededRandom(seed));
    } catch (cause) {
      throw new Error(`RULES_SEED=${seed}: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    }
  }
}

const told = (rules: readonly PolicyRule[]): string => JSON.stringify(rules);
const isCovered = (owner: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean =>
  covers(owner, wanted).length === 0;
const allAllowed = ({ owner, wanted }: Pair): boolean =>
  everyRequest.every((request) => !allows(wanted, request) || allows(owner, request));

describe("covers, with rules by chance", () => {
  it("says yes exactly when every request that is wanted is allowed", () => {
    const answers = { yes: 0, no: 0 };

    always((random) => {
      const { owner, wanted } = pair(random, validRule);
      const expected = allAllowed({ owner, wanted });
      expect(isCovered(owner, wanted), `${told(owner)} ${told(wanted)}`).to.equal(expected);
      answers[expected ? "yes" : "no"]++;
    });

    expect(answers.yes, "too few pairs are covered to show anything").to.be.above(rounds / 5);
    expect(answers.no, "too few pairs are not covered to show anything").to.be.above(rounds / 5);
  });

  it("never says yes to a request that is not allowed, even with rules that are not valid", () => {
    let yes = 0;

    always((random) => {
      const { owner, wanted } = pair(random, anyRule);
      if (!isCovered(owner, wanted)) return;
      expect(allAllowed({ owner, wanted }), `${told(owner)} ${told(wanted)}`).to.equal(true);
      yes++;
    });

    expect(yes).to.be.above(rounds / 5);
  });

  it("misses just the single requests that no rule of the owner covers alone", () => {
    always((random) => {
      const { owner, wanted } = pair(random, anyRule);
      const alone = wanted
        .flatMap(atomsOf)
        .filter((atom) => !owner.some((rule) => isCovered([rule], [atom])));

      const missing = covers(owner, wanted);

      expect(atoms(missing)).to.deep.equal(atoms(alone));
    });
  });

  it("covers valid rules by themselves, in any order", () => {
    always((random) => {
      const rules = rulesOf(random, validRule, 5);

      expect(covers(rules, rules)).to.deep.equal([]);
      expect(covers(rules.toReversed(), rules)).to.deep.equal([]);
    });
  });

  it("is transitive", () => {
    let chains = 0;

    always((random) => {
      const a = rulesOf(random, anyRule, 4);
      const b = narrowed(random, a);
      const c = narrowed(random, b);
      if (!isCovered(a, b) || !isCovered(b, c)) return;
      expect(covers(a, c), `${told(a)} ${told(b)} ${told(c)}`).to.deep.equal([]);
      chains++;
    });

    expect(chains, "too few chains to show anything").to.be.above(rounds / 10);
  });

  it("misses no more when the owner gains rules, and no less when more is wanted", () => {
    always((random) => {
      const { owner, wanted } = pair(random, anyRule);
      const more = rulesOf(random, anyRule, 2);
      const missing = atoms(covers(owner, wanted));

      const richer = atoms(covers([...owner, ...more], wanted));
      const greedier = atoms(covers(owner, [...more, ...wanted]));

      expect(missing).to.include.members([...richer]);
      expect(greedier).to.include.members([...missing]);
    });
  });

  it("misses nothing once the owner has what is missing, and all of it until then", () => {
    always((random) => {
      const { owner, wanted } = pair(random, anyRule);
      const missing = covers(owner, wanted);

      expect(covers([...owner, ...missing], wanted)).to.deep.equal([]);
      expect(atoms(covers(owner, missing))).to.deep.equal(atoms(missing));
    });
  });

  it("names no single request twice", () => {
    always((random) => {
      const { owner, wanted } = pair(random, anyRule);

      for (const rule of wanted) {
        const missing = covers(owner, [rule]);
        expect(missing.flatMap(atomsOf)).to.have.length(atoms(missing).length);
      }
    });
  });
});

describe("covers, where it asks for more than requests do", () => {
  const get = (url: string): PolicyRule[] => [{ verbs: ["get"], nonResourceURLs: [url] }];
  const onPods = (resource: string): PolicyRule[] => [
    { verbs: ["get"], apiGroups: [""], resources: [resource] },
  ];

  it("keeps * apart from /*, although every path of a request begins with a slash", () => {
    const paths = everyRequest.filter((each) => "path" in each && each.path.startsWith("/"));

    expect(paths.every((path) => allows(get("/*"), path) === allows(get("*"), path))).to.equal(
      true,
    );
    expect(covers(get("/*"), get("*"))).to.deep.equal(get("*"));
  });

  it("wants a resource that no request can name", () => {
    expect(everyRequest.some((request) => allows(onPods("pods/"), request))).to.equal(false);
    expect(covers([], onPods("pods/"))).to.deep.equal(onPods("pods/"));
  });

  it("does not let a rule on named resources and URLs cover its own URLs", () => {
    const mixed = [
      { ...onPods("pods")[0], verbs: ["get"], resourceNames: ["a"], nonResourceURLs: ["/a"] },
    ];

    expect(allAllowed({ owner: mixed, wanted: mixed })).to.equal(true);
    expect(covers(mixed, mixed)).to.deep.equal(get("/a"));
  });
});
