import { expect } from "chai";
import type { Deployment, Node } from "kopf-ts/kinds";
import { replicasFor, wantedReplicas } from "./desired.ts";

const deploymentOf = (annotation: string | undefined, pod: object = {}): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "d",
    ...(annotation !== undefined && {
      annotations: { "management.cattle.io/scale-available": annotation },
    }),
  },
  spec: { selector: {}, template: { spec: { containers: [], ...pod } } },
});
const node = (name: string, labels: Record<string, string> = {}): Pick<Node, "metadata"> => ({
  metadata: { name, labels },
});
const affinity = (...terms: readonly object[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
    },
  },
});
const expression = (key: string, operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

describe("wantedReplicas", () => {
  for (const { text, expected } of [
    { text: "2", expected: 2 },
    { text: undefined, expected: undefined },
    { text: "", expected: undefined },
    { text: "0", expected: undefined },
    { text: "-1", expected: undefined },
    { text: "two", expected: undefined },
    { text: "1e9", expected: undefined },
  ]) {
    it(`is ${expected} for ${JSON.stringify(text)}`, () => {
      expect(wantedReplicas(deploymentOf(text))).to.equal(expected);
    });
  }
});

describe("replicasFor", () => {
  const three = [
    node("a", { os: "linux", size: "3" }),
    node("b", { os: "linux" }),
    node("c", { os: "windows", size: "8" }),
  ];
  const both = expression("os", "In", "linux").matchExpressions.concat(
    expression("size", "Exists").matchExpressions,
  );

  for (const { name, pod, nodes = three, expected } of [
    { name: "no nodes", nodes: [], expected: 1 },
    { name: "fewer nodes than replicas", nodes: three.slice(0, 1), expected: 1 },
    { name: "more of them", expected: 3 },
    { name: "a nodeSelector", pod: { nodeSelector: { os: "linux" } }, expected: 2 },
    { name: "In", pod: affinity(expression("os", "In", "windows")), expected: 1 },
    { name: "NotIn", pod: affinity(expression("os", "NotIn", "windows")), expected: 2 },
    { name: "NotIn of what is absent", pod: affinity(expression("x", "NotIn", "y")), expected: 3 },
    { name: "Exists", pod: affinity(expression("size", "Exists")), expected: 2 },
    {
      name: "DoesNotExist",
      nodes: [...three, node("d")],
      pod: affinity(expression("os", "DoesNotExist")),
      expected: 1,
    },
    { name: "Gt", pod: affinity(expression("size", "Gt", "2")), expected: 2 },
    { name: "Lt", pod: affinity(expression("size", "Lt", "4")), expected: 1 },
    {
      name: "two terms",
      pod: affinity(expression("size", "Exists"), expression("os", "Exists")),
      expected: 3,
    },
    { name: "two expressions of a term", pod: affinity({ matchExpressions: both }), expected: 1 },
    {
      name: "a field",
      pod: affinity({
        matchFields: [{ key: "metadata.name", operator: "In", values: ["a", "b"] }],
      }),
      expected: 2,
    },
    { name: "an empty term", pod: affinity({}), expected: 1 },
    {
      name: "an operator that nobody knows",
      pod: affinity(expression("os", "Maybe")),
      expected: 1,
    },
  ]) {
    it(`is ${expected} of 4 for ${name}`, () => {
      expect(replicasFor(deploymentOf("4", pod), nodes)).to.equal(expected);
    });
  }

  it("is as many as are wanted at most, and none of our business where nothing is said", () => {
    expect(replicasFor(deploymentOf("2"), three)).to.equal(2);
    expect(replicasFor(deploymentOf(undefined), three)).to.equal(undefined);
  });
});
