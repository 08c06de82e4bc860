import { expect } from "chai";
import { type Phase, Phases } from "./phases.ts";

/** Phases, and what the metric says: zeros left out. */
function counted(): { readonly phases: Phases; readonly shown: () => Record<string, number> } {
  const values: Record<string, number> = {};
  const gauge = {
    with: ({ phase }: { readonly phase: string }) => ({
      set: (value: number) => {
        values[phase] = value;
      },
    }),
  };
  const phases = new Phases(gauge);
  const shown = () => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0));
  return { phases, shown };
}

describe("the phases of clusters", () => {
  for (const { title, changes, expected } of [
    { title: "nothing", changes: [], expected: {} },
    {
      title: "each once, however often it is told",
      changes: [
        ["a", "ready"],
        ["a", "ready"],
        ["b", "ready"],
      ],
      expected: { ready: 2 },
    },
    {
      title: "where each is now",
      changes: [
        ["a", "waiting"],
        ["a", "engaging"],
        ["b", "elsewhere"],
        ["a", "ready"],
      ],
      expected: { ready: 1, elsewhere: 1 },
    },
    {
      title: "none that is no more",
      changes: [
        ["a", "ready"],
        ["a", undefined],
        ["b", undefined],
      ],
      expected: {},
    },
  ] as const satisfies readonly {
    readonly changes: readonly (readonly [string, Phase | undefined])[];
    readonly [more: string]: unknown;
  }[]) {
    it(`count ${title}`, () => {
      const { phases, shown } = counted();

      for (const [name, phase] of changes) phases.set(name, phase);

      expect(shown()).to.deep.equal(expected);
    });
  }
});
