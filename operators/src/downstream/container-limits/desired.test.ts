import type { ContainerResourceLimit } from "@drover/crds";
import { expect } from "chai";
import { limitRangeItem, memberOf, ownLimits } from "./desired.ts";

const key = "field.cattle.io/containerDefaultResourceLimit";
const aNamespace = (annotations: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", annotations },
});

const keys = ["requestsCpu", "requestsMemory", "limitsCpu", "limitsMemory"] as const;
const whole: Required<ContainerResourceLimit> = {
  requestsCpu: "100m",
  requestsMemory: "64Mi",
  limitsCpu: "200m",
  limitsMemory: "128Mi",
};
const other: Required<ContainerResourceLimit> = {
  requestsCpu: "1",
  requestsMemory: "1Gi",
  limitsCpu: "2",
  limitsMemory: "2Gi",
};

/** Every subset of the four keys. */
const subsets = Array.from({ length: 16 }, (_, bits) =>
  keys.filter((_key, at) => bits & (1 << at)),
);
const only = (limits: Required<ContainerResourceLimit>, wanted: readonly (typeof keys)[number][]) =>
  Object.fromEntries(wanted.map((each) => [each, limits[each]]));

describe("limitRangeItem", () => {
  it("case 49: merges key by key, the namespace winning, in all combinations", () => {
    for (const inNamespace of subsets) {
      for (const inProject of subsets) {
        const item = limitRangeItem(only(whole, inNamespace), only(other, inProject));

        const said = (name: (typeof keys)[number]) =>
          inNamespace.includes(name)
            ? whole[name]
            : inProject.includes(name)
              ? other[name]
              : undefined;
        const expected = {
          requestsCpu: said("requestsCpu") ?? said("limitsCpu"),
          requestsMemory: said("requestsMemory") ?? said("limitsMemory"),
          limitsCpu: said("limitsCpu"),
          limitsMemory: said("limitsMemory"),
        };
        const found = {
          requestsCpu: item?.defaultRequest?.cpu,
          requestsMemory: item?.defaultRequest?.memory,
          limitsCpu: item?.default?.cpu,
          limitsMemory: item?.default?.memory,
        };
        expect(found).to.deep.equal(expected);
      }
    }
  });

  for (const { name, own = {}, project = {}, expected } of [
    { name: "is none for nothing", expected: undefined },
    { name: "counts empty texts as nothing", own: { limitsCpu: "" }, expected: undefined },
    {
      name: "gives requests as large as limits, as the server does",
      project: { limitsCpu: "1" },
      expected: { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "1" } },
    },
    {
      name: "fills gaps that the namespace left empty",
      own: { requestsCpu: "" },
      project: { requestsCpu: "1" },
      expected: { type: "Container", defaultRequest: { cpu: "1" } },
    },
    {
      name: "writes amounts as the server does",
      own: { requestsCpu: "0.5", requestsMemory: "1024Mi" },
      expected: { type: "Container", defaultRequest: { cpu: "500m", memory: "1Gi" } },
    },
    {
      name: "leaves out what is no amount",
      project: { limitsCpu: "many", limitsMemory: "1Gi" },
      expected: {
        type: "Container",
        default: { memory: "1Gi" },
        defaultRequest: { memory: "1Gi" },
      },
    },
  ]) {
    it(name, () => expect(limitRangeItem(own, project)).to.deep.equal(expected));
  }
});

describe("ownLimits", () => {
  for (const { text, limits = {}, fault } of [
    { text: "" },
    { text: "null" },
    { text: '{"limitsCpu":"1"}', limits: { limitsCpu: "1" } },
    { text: '{"limitsCpu":""}', limits: { limitsCpu: "" } },
    { text: "{", fault: `annotation ${key} is not read: it is no JSON object` },
    { text: "[]", fault: `annotation ${key} is not read: it is no JSON object` },
    {
      text: '{"limitsCpu":"1","limitsMemory":5}',
      fault: `annotation ${key} is not read: limitsMemory must be a quantity, such as 500m or 128Mi`,
    },
  ]) {
    it(`reads ${text || "nothing"}`, () => {
      const expected = fault === undefined ? { limits } : { limits, fault };

      expect(ownLimits(aNamespace({ [key]: text }))).to.deep.equal(expected);
    });
  }
});

describe("memberOf", () => {
  it("is the key of the project", () => {
    expect(memberOf(aNamespace({ "field.cattle.io/projectId": "c-1:p-1" }))).to.deep.equal([
      "c-1/p-1",
    ]);
    expect(memberOf(aNamespace({}))).to.deep.equal([]);
  });
});
