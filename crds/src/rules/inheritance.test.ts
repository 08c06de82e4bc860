import { expect } from "chai";
import { aRoleTemplate } from "../testing/fixtures.ts";
import { inheritanceOf, inheritorsOf, reaches } from "./inheritance.ts";

/** Templates by what they inherit. */
const templates = (names: Readonly<Record<string, readonly string[]>>) => {
  const all = Object.entries(names).map(([name, roleTemplateNames]) =>
    aRoleTemplate({ metadata: { name }, roleTemplateNames }),
  );
  return (name: string) => all.find(({ metadata }) => metadata.name === name);
};
const get = (find: ReturnType<typeof templates>, name: string) => {
  const found = find(name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe("inheritanceOf", () => {
  for (const { name, names, expected } of [
    { name: "nothing", names: { a: [] }, expected: { followed: [], missing: [], circular: [] } },
    {
      name: "each once",
      names: { a: ["b", "c", "b"], b: ["c"], c: [] },
      expected: { followed: ["b", "c"], missing: [], circular: [] },
    },
    {
      name: "one that is missing, which counts once it is there",
      names: { a: ["b"] },
      expected: { followed: ["b"], missing: ["b"], circular: [] },
    },
    {
      name: "itself",
      names: { a: ["a", "b"], b: [] },
      expected: { followed: ["b"], missing: [], circular: ["a"] },
    },
    {
      name: "one that leads back",
      names: { a: ["b", "d"], b: ["c"], c: ["a"], d: [] },
      expected: { followed: ["d"], missing: [], circular: ["b"] },
    },
    {
      name: "a circle of others, which is theirs",
      names: { a: ["b"], b: ["c"], c: ["b"] },
      expected: { followed: ["b"], missing: [], circular: [] },
    },
  ]) {
    it(`knows ${name}`, () => {
      const find = templates(names);

      expect(inheritanceOf(get(find, "a"), find)).to.deep.equal(expected);
    });
  }
});

describe("reaches", () => {
  it("goes through chains of any length, but not through what is refused", () => {
    const length = 20_000;
    const chain = new Map(
      Array.from({ length }, (_, at) => [
        `t${at}`,
        aRoleTemplate({ metadata: { name: `t${at}` }, roleTemplateNames: [`t${at + 1}`] }),
      ]),
    );
    const find = (name: string) => chain.get(name);
    const isLast = (name: string) => name === `t${length - 1}`;

    expect(reaches("t0", find, isLast)).to.equal(true);
    expect(reaches("t0", find, isLast, ({ metadata }) => metadata.name !== "t9")).to.equal(false);
  });
});

describe("inheritorsOf", () => {
  it("are all that inherit, directly or not, each once, also in a circle", () => {
    const direct: Readonly<Record<string, readonly string[]>> = {
      c: ["b"],
      b: ["a", "a2"],
      a: ["c"],
    };
    const find = (name: string) => direct[name] ?? [];

    expect(inheritorsOf("c", find).toSorted()).to.deep.equal(["a", "a2", "b", "c"]);
    expect(inheritorsOf("a2", find)).to.deep.equal([]);
  });
});
