import { expect } from "chai";
import { affinityProblem, tolerationsProblem } from "./pods.ts";

describe("tolerations", () => {
  for (const { toleration, expected } of [
    { toleration: { operator: "Exists" }, expected: undefined },
    { toleration: { key: "a.b/c", value: "x", effect: "NoSchedule" }, expected: undefined },
    {
      toleration: { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
      expected: undefined,
    },
    { toleration: {}, expected: "t[0].operator must be Exists without a key" },
    { toleration: { key: "a b" }, expected: "t[0].key must be a label key" },
    { toleration: { key: "a/b/c" }, expected: "t[0].key must be a label key" },
    { toleration: { key: "-a" }, expected: "t[0].key must be a label key" },
    { toleration: { key: "a", operator: "In" }, expected: "t[0].operator must be Equal or Exists" },
    {
      toleration: { key: "a", operator: "Exists", value: "x" },
      expected: "t[0].value must be empty with operator Exists",
    },
    { toleration: { key: "a", value: "x y" }, expected: "t[0].value must be a label value" },
    {
      toleration: { key: "a", effect: "Never" },
      expected: "t[0].effect must be NoSchedule, PreferNoSchedule or NoExecute",
    },
    {
      toleration: { key: "a", effect: "NoSchedule", tolerationSeconds: 5 },
      expected: "t[0].tolerationSeconds needs effect NoExecute",
    },
    { toleration: "x", expected: "t[0] must be an object" },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} be ${JSON.stringify(toleration)}`, () => {
      expect(tolerationsProblem("t", [toleration])).to.equal(expected);
    });
  }

  it("are a list, or left out", () => {
    expect(tolerationsProblem("t", undefined)).to.equal(undefined);
    expect(tolerationsProblem("t", [])).to.equal(undefined);
    expect(tolerationsProblem("t", { key: "a" })).to.equal("t must be a list");
    expect(tolerationsProblem("t", [{ operator: "Exists" }, {}])).to.contain("t[1]");
  });
});

describe("an affinity", () => {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const expression = { key: "zone", operator: "In", values: ["a"] };
  const term = { matchExpressions: [expression] };
  const node = (nodeAffinity: unknown) => ({ nodeAffinity });
  const wanted = (matchExpression: object) =>
    node({ [required]: { nodeSelectorTerms: [{ matchExpressions: [matchExpression] }] } });
  const at = `a.nodeAffinity.${required}.nodeSelectorTerms`;

  for (const { affinity, expected } of [
    { affinity: undefined, expected: undefined },
    { affinity: {}, expected: undefined },
    { affinity: node({ [required]: { nodeSelectorTerms: [term] } }), expected: undefined },
    { affinity: node({ [preferred]: [{ weight: 1, preference: term }] }), expected: undefined },
    { affinity: wanted({ key: "cores", operator: "Gt", values: ["4"] }), expected: undefined },
    {
      affinity: { podAntiAffinity: { [required]: [{ topologyKey: "kubernetes.io/hostname" }] } },
      expected: undefined,
    },
    {
      affinity: {
        podAffinity: { [preferred]: [{ weight: 100, podAffinityTerm: { topologyKey: "zone" } }] },
      },
      expected: undefined,
    },
    { affinity: "x", expected: "a must be an object" },
    { affinity: node("x"), expected: "a.nodeAffinity must be an object" },
    { affinity: node({ [required]: {} }), expected: `${at} is required` },
    { affinity: node({ [required]: { nodeSelectorTerms: [] } }), expected: `${at} is required` },
    {
      affinity: wanted({ key: "zone", operator: "Near", values: ["a"] }),
      expected: `${at}[0].matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt`,
    },
    {
      affinity: wanted({ key: "zone", operator: "Exists", values: ["a"] }),
      expected: `${at}[0].matchExpressions[0].values has the wrong number of values for operator Exists`,
    },
    {
      affinity: wanted({ operator: "Exists" }),
      expected: `${at}[0].matchExpressions[0].key must be a label key`,
    },
    {
      affinity: node({ [preferred]: [{ weight: 0, preference: term }] }),
      expected: `a.nodeAffinity.${preferred}[0].weight must be from 1 to 100`,
    },
    {
      affinity: node({ [preferred]: [{ weight: 1 }] }),
      expected: `a.nodeAffinity.${preferred}[0].preference is required`,
    },
    {
      affinity: { podAffinity: { [required]: [{}] } },
      expected: `a.podAffinity.${required}[0].topologyKey is required and must be a label key`,
    },
    {
      affinity: { podAntiAffinity: { [preferred]: [{ weight: 1 }] } },
      expected: `a.podAntiAffinity.${preferred}[0].podAffinityTerm is required`,
    },
    {
      affinity: {
        podAffinity: {
          [required]: [
            {
              topologyKey: "zone",
              labelSelector: { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] },
            },
          ],
        },
      },
      expected: `a.podAffinity.${required}[0].labelSelector.matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist`,
    },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} be ${JSON.stringify(affinity)}`, () => {
      expect(affinityProblem("a", affinity)).to.equal(expected);
    });
  }
});
