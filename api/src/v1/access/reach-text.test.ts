import { expect } from "chai";
import type { Reach } from "./access.ts";
import { textOfReach, textsOfReaches } from "./reach-text.ts";

type Names = Readonly<Record<string, readonly string[]>>;

const reachOf = (namespaces: readonly string[], names: Names = {}): Reach => ({
  namespaces: new Set(namespaces),
  names: new Map(Object.entries(names).map(([namespace, of]) => [namespace, new Set(of)])),
});

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `n${index}`);

describe("textOfReach", () => {
  it("is the same in whatever order", () => {
    const [one, other] = [
      reachOf(["a", "b"], { c: ["x", "y"], d: ["z"] }),
      reachOf(["b", "a"], { d: ["z"], c: ["y", "x"] }),
    ];

    expect(textOfReach(one)).to.equal(textOfReach(other));
  });

  it("is another one for each other reach", () => {
    const all: readonly Reach[] = [
      "all",
      ...[[], ["a"], ["a", "b"], ["a b"], ["a,b"], [""]].map((namespaces) => reachOf(namespaces)),
      reachOf([], { a: [] }),
      reachOf([], { a: ["x"] }),
      reachOf(["x"], { a: [] }),
      reachOf([], { a: ["x", "y"] }),
      reachOf([], { a: ["x y"] }),
      reachOf([], { a: ["x"], b: ["y"] }),
      reachOf([], { a: ["y"], b: ["x"] }),
      reachOf([], { "": ["x"] }),
    ];

    expect(new Set(all.map(textOfReach)).size).to.equal(all.length);
  });
});

describe("textsOfReaches", () => {
  const names = Object.fromEntries(numbered(4000).map((name) => [name, ["x"]]));

  it("are those of each", () => {
    const all: readonly Reach[] = ["all", reachOf(["a"]), reachOf([], { a: ["x"] })];

    expect(textsOfReaches(all)).to.deep.equal(all.map(textOfReach));
  });

  for (const [what, reaches] of [
    ["one that is too large", [reachOf(numbered(12_000))]],
    ["several that are too large together", [reachOf(numbered(6000)), reachOf(numbered(6000))]],
    ["many names", [reachOf([], names), reachOf([], names)]],
  ] as const) {
    it(`are not made of ${what}, and no more is asked for`, () => {
      let asked = 0;
      const all = function* (): Generator<Reach> {
        for (const reach of [...reaches, "all"] as const) {
          asked++;
          yield reach;
        }
      };

      expect(textsOfReaches(all())).to.equal(undefined);
      expect(asked).to.equal(reaches.length);
    });
  }

  it("are made of many that share what is large", () => {
    const { namespaces } = reachOf(numbered(6000)) as Exclude<Reach, "all">;
    const all = Array.from({ length: 100 }, (): Reach => ({ namespaces, names: new Map() }));

    expect(textsOfReaches(all)).to.have.length(100);
  });
});
