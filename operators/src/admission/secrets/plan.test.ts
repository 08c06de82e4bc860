import { expect } from "chai";
import { planProblem } from "./plan.ts";

const encoded = (text: string): string => Buffer.from(text).toString("base64");

describe("the plan of a machine", () => {
  for (const plan of [
    "",
    "{}",
    '{"files":null}',
    JSON.stringify({
      files: [{ path: "/a", content: "" }],
      instructions: [{ name: "x", script: "true" }],
      periodicInstructions: [],
      probes: { api: { httpGet: { url: "http://x" } } },
      "something-new": 1,
    }),
  ]) {
    it(`may be ${plan || "empty"}`, () => expect(planProblem(encoded(plan))).to.equal(undefined));
  }

  it("may be missing", () => expect(planProblem(undefined)).to.equal(undefined));

  for (const { plan, expected } of [
    { plan: "{", expected: "data.plan must be a plan: a JSON object" },
    { plan: "[]", expected: "data.plan must be a plan: a JSON object" },
    { plan: "null", expected: "data.plan must be a plan: a JSON object" },
    { plan: '{"files":{}}', expected: "data.plan: files must be a list of objects" },
    {
      plan: '{"instructions":["rm"]}',
      expected: "data.plan: instructions must be a list of objects",
    },
    {
      plan: '{"periodicInstructions":1}',
      expected: "data.plan: periodicInstructions must be a list of objects",
    },
    { plan: '{"probes":[]}', expected: "data.plan: probes must be objects by name" },
    { plan: '{"probes":{"a":"token"}}', expected: "data.plan: probes must be objects by name" },
  ]) {
    it(`must not be ${plan}`, () => expect(planProblem(encoded(plan))).to.equal(expected));
  }
});
