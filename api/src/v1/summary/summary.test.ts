import { expect } from "chai";
import { general, now, ofKinds } from "./cases.test.support.ts";
import { flags } from "./conditions.test.support.ts";
import { special } from "./special.test.support.ts";
import { flagsOf, summarize } from "./summary.ts";

describe("summarize", () => {
  for (const [title, object, expected] of [...general, ...ofKinds, ...special]) {
    it(`tells of ${title}`, () => {
      expect(summarize(object, { now })).to.deep.include(expected);
    });
  }

  it("finds a custom resource current before it asks for the generation that its controller has seen, as upstream", () => {
    const unseen = { metadata: { generation: 1 }, status: { phase: "" }, kind: "Thing" };

    expect(summarize(unseen, { now, observesGeneration: true }).state).to.equal("active");
  });
});

describe("flagsOf", () => {
  for (const [title, apiVersion, condition, error, transitioning] of flags) {
    it(`knows ${title}`, () => {
      const object = { apiVersion, kind: "Thing", status: { conditions: [condition] } };

      expect(flagsOf(object, condition, { now })).to.deep.equal({ error, transitioning });
    });
  }
});
