import type { Project, ResourceQuotaLimit } from "@drover/crds";
import { aProject } from "@drover/crds/testing";
import { expect } from "chai";
import { quotaProblem } from "./quota.ts";

interface Quotas {
  readonly limit?: ResourceQuotaLimit;
  readonly used?: ResourceQuotaLimit;
  readonly share?: ResourceQuotaLimit;
}

function project({ limit, used, share }: Quotas = {}): Project {
  const base = { displayName: "x", clusterName: "c-abcde" };
  const total = { ...(limit && { limit }), ...(used && { usedLimit: used }) };
  return aProject({
    spec: {
      ...base,
      ...((limit ?? used) && { resourceQuota: total }),
      ...(share && { namespaceDefaultResourceQuota: { limit: share } }),
    },
  });
}

const problem = (after: Quotas, before?: Quotas, namespaces = 0): string | undefined =>
  quotaProblem(project(after), before && project(before), () => namespaces);

const total = "spec.resourceQuota.limit";
const share = "spec.namespaceDefaultResourceQuota.limit";

describe("quotas of a project", () => {
  for (const { name, after, before, namespaces, expected } of [
    { name: "none at all", after: {}, expected: undefined },
    {
      name: "taken back, but for what a controller wrote",
      after: { used: { pods: "4" } },
      before: { limit: { pods: "10" }, share: { pods: "4" }, used: { pods: "4" } },
      expected: undefined,
    },
    {
      name: "both, with the same keys",
      after: { limit: { pods: "10", limitsCpu: "2" }, share: { pods: "2", limitsCpu: "500m" } },
      expected: undefined,
    },
    {
      name: "a share as large as the total",
      after: { limit: { limitsCpu: "1" }, share: { limitsCpu: "1000m" } },
      expected: undefined,
    },
    {
      name: "a total alone",
      after: { limit: { pods: "10" } },
      expected: "spec.namespaceDefaultResourceQuota is required beside spec.resourceQuota",
    },
    {
      name: "a share alone",
      after: { share: { pods: "10" } },
      expected: "spec.resourceQuota is required beside spec.namespaceDefaultResourceQuota",
    },
    {
      name: "a share above the total",
      after: { limit: { pods: "10" }, share: { pods: "11" } },
      expected: `${share}.pods must not be above ${total}.pods`,
    },
    {
      name: "a share that lacks a key",
      after: { limit: { pods: "10", secrets: "5" }, share: { pods: "1" } },
      expected: `${share}.secrets is required beside ${total}.secrets`,
    },
    {
      name: "a share with a key too many",
      after: { limit: { pods: "10" }, share: { pods: "1", secrets: "5" } },
      expected: `${total}.secrets is required beside ${share}.secrets`,
    },
    {
      name: "an empty text, which counts as none",
      after: { limit: { pods: "10", secrets: "" }, share: { pods: "1" } },
      expected: undefined,
    },
    {
      name: "a negative total",
      after: { limit: { pods: "-1" }, share: { pods: "-2" } },
      expected: `${total}.pods must not be negative`,
    },
    {
      name: "a negative share",
      after: { limit: { pods: "1" }, share: { pods: "-2" } },
      expected: `${share}.pods must not be negative`,
    },
    {
      name: "an amount that is none",
      after: { limit: { pods: "many" }, share: { pods: "1" } },
      expected: `${total}.pods must be a quantity, such as 10, 500m or 2Gi`,
    },
    {
      name: "extended resources",
      after: {
        limit: { extended: { "requests.nvidia.com/gpu": "4" } },
        share: { extended: { "requests.nvidia.com/gpu": "5" } },
      },
      expected: `${share}.extended.requests.nvidia.com/gpu must not be above ${total}.extended.requests.nvidia.com/gpu`,
    },
    {
      name: "less than namespaces use already",
      before: { limit: { pods: "10" }, used: { pods: "8" }, share: { pods: "1" } },
      after: { limit: { pods: "7" }, used: { pods: "0" }, share: { pods: "1" } },
      expected: `${total}.pods must not be below what the project's namespaces use already`,
    },
    {
      name: "as much as namespaces use already",
      before: { limit: { pods: "10" }, used: { pods: "8" }, share: { pods: "1" } },
      after: { limit: { pods: "8" }, used: { pods: "8" }, share: { pods: "1" } },
      expected: undefined,
    },
    {
      name: "no quota any more, whatever is used",
      before: { limit: { pods: "10" }, used: { pods: "8" }, share: { pods: "1" } },
      after: {},
      expected: undefined,
    },
    {
      name: "a first total without room for the namespaces there are",
      before: {},
      after: { limit: { pods: "5" }, share: { pods: "2" } },
      namespaces: 4,
      expected: `${total}.pods must have room for ${share}.pods in each of the 4 namespaces`,
    },
    {
      name: "a first total with room for them",
      before: {},
      after: { limit: { pods: "8" }, share: { pods: "2" } },
      namespaces: 4,
      expected: undefined,
    },
    {
      name: "a further key without room",
      before: { limit: { pods: "8" }, share: { pods: "2" } },
      after: { limit: { pods: "8", secrets: "3" }, share: { pods: "2", secrets: "1" } },
      namespaces: 4,
      expected: `${total}.secrets must have room for ${share}.secrets in each of the 4 namespaces`,
    },
    {
      name: "an old quota that breaks newer rules, unchanged",
      before: { limit: { pods: "-8" }, share: { secrets: "2" } },
      after: { limit: { pods: "-8" }, share: { secrets: "2" } },
      expected: undefined,
    },
    {
      name: "an old quota whose use was counted meanwhile",
      before: { limit: { pods: "1" }, used: { pods: "1" }, share: { pods: "5" } },
      after: { limit: { pods: "1" }, used: { pods: "5" }, share: { pods: "5" } },
      expected: undefined,
    },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} be ${name}`, () => {
      expect(problem(after, before, namespaces)).to.equal(expected);
    });
  }

  it("count namespaces only where a limit is new", () => {
    const quotas = project({ limit: { pods: "9" }, share: { pods: "1" } });
    const count = (): number => {
      throw new Error("nobody asked");
    };

    expect(quotaProblem(quotas, undefined, count)).to.equal(undefined);
    expect(
      quotaProblem(quotas, project({ limit: { pods: "8" }, share: { pods: "1" } }), count),
    ).to.equal(undefined);
  });
});
