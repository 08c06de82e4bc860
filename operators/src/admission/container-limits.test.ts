import { expect } from "chai";
import { limitsProblem } from "./container-limits.ts";

const problem = (limits: Readonly<Record<string, unknown>>) =>
  limitsProblem(limits, (field) => `x.${field}`);

describe("limits of containers", () => {
  for (const limits of [
    {},
    { requestsCpu: "100m" },
    { limitsMemory: "1Gi" },
    { requestsCpu: "1", limitsCpu: "1000m" },
    { requestsMemory: "128Mi", limitsMemory: "1Gi", requestsCpu: "", limitsCpu: "" },
  ]) {
    it(`may be ${JSON.stringify(limits)}`, () => expect(problem(limits)).to.equal(undefined));
  }

  for (const { limits, expected } of [
    {
      limits: { requestsCpu: "1", limitsCpu: "999m" },
      expected: "x.requestsCpu must not be above limitsCpu",
    },
    {
      limits: { requestsMemory: "2Gi", limitsMemory: "1Gi" },
      expected: "x.requestsMemory must not be above limitsMemory",
    },
    { limits: { limitsCpu: "-1" }, expected: "x.limitsCpu must not be negative" },
    {
      limits: { requestsMemory: "lots" },
      expected: "x.requestsMemory must be a quantity, such as 500m or 128Mi",
    },
    { limits: { limitsCpu: 5 }, expected: "x.limitsCpu must be a quantity, such as 500m or 128Mi" },
  ]) {
    it(`must not be ${JSON.stringify(limits)}`, () => expect(problem(limits)).to.equal(expected));
  }
});
