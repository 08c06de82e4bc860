import { expect } from "chai";
import type { Container, Node, Pod, PodSpec } from "kopf-ts/kinds";
import { annotationsFor, concerning, nodePatch, nodesOf } from "./desired.ts";

type Asked = NonNullable<Container["resources"]>;

const container = (resources: Asked, more: Partial<Container> = {}): Container => ({
  name: "c",
  resources,
  ...more,
});
const podOf = (spec: Partial<PodSpec>, phase?: string): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: { nodeName: "n", containers: [], ...spec },
    ...(phase && { status: { phase } }),
  }) as Pod;
const requests = (cpu: string, memory?: string): Asked => ({
  requests: { cpu, ...(memory && { memory }) },
});
const [requestsKey, limitsKey] = [
  "management.cattle.io/pod-requests",
  "management.cattle.io/pod-limits",
];

describe("annotationsFor", () => {
  const cases: readonly {
    readonly name: string;
    readonly pods: readonly Pod[];
    readonly asked: object;
    readonly limited?: object;
  }[] = [
    { name: "no Pods", pods: [], asked: { pods: "0" } },
    { name: "Pods that ask for nothing", pods: [podOf({}), podOf({})], asked: { pods: "2" } },
    {
      name: "containers side by side, in several Pods",
      pods: [
        podOf({ containers: [container(requests("100m", "64Mi")), container(requests("1"))] }),
        podOf({ containers: [container(requests("1.5", "64Mi"))] }),
      ],
      asked: { cpu: "2600m", memory: "128Mi", pods: "2" },
    },
    {
      name: "limits apart from requests",
      pods: [
        podOf({
          containers: [container({ requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } })],
        }),
      ],
      asked: { cpu: "1", pods: "1" },
      limited: { cpu: "2", memory: "1Gi" },
    },
    {
      name: "the largest init container, where it is more than the rest",
      pods: [
        podOf({
          initContainers: [container(requests("3")), container(requests("2", "1Gi"))],
          containers: [container(requests("1")), container(requests("1"))],
        }),
      ],
      asked: { cpu: "3", memory: "1Gi", pods: "1" },
    },
    {
      name: "sidecars, which add up with what comes after them",
      pods: [
        podOf({
          initContainers: [
            container(requests("2")),
            container(requests("1"), { restartPolicy: "Always" }),
            container(requests("4")),
          ],
          containers: [container(requests("1"))],
        }),
      ],
      asked: { cpu: "5", pods: "1" },
    },
    {
      name: "amounts of the Pod as a whole",
      pods: [podOf({ resources: requests("4"), containers: [container(requests("1", "1Mi"))] })],
      asked: { cpu: "4", memory: "1Mi", pods: "1" },
    },
    {
      name: "overhead, which is limited only with what it surrounds",
      pods: [
        podOf({
          overhead: { cpu: "100m", memory: "16Mi" },
          containers: [container({ requests: { cpu: "1" }, limits: { cpu: "1" } })],
        }),
      ],
      asked: { cpu: "1100m", memory: "16Mi", pods: "1" },
      limited: { cpu: "1100m" },
    },
    {
      name: "what is no amount",
      pods: [podOf({ containers: [container(requests("much"))] })],
      asked: { pods: "1" },
    },
    {
      name: "resources of any name",
      pods: [podOf({ containers: [container({ limits: { "nvidia.com/gpu": "2" } })] })],
      asked: { pods: "1" },
      limited: { "nvidia.com/gpu": "2" },
    },
  ];

  for (const { name, pods, asked, limited = {} } of cases) {
    it(`counts ${name}`, () => {
      expect(annotationsFor(pods)).to.deep.equal({
        [requestsKey]: JSON.stringify(asked),
        [limitsKey]: JSON.stringify(limited),
      });
    });
  }
});

describe("nodePatch", () => {
  const node = (annotations: object): Node =>
    ({ apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u", annotations } }) as Node;
  const wanted = { [requestsKey]: '{"cpu":"1500m","pods":"1"}', [limitsKey]: "{}" };

  for (const { name, annotations, expected } of [
    { name: "the same", annotations: wanted, expected: false },
    {
      name: "the same in other words",
      annotations: { ...wanted, [requestsKey]: '{"pods":1,"cpu":"1.5"}' },
      expected: false,
    },
    { name: "nothing", annotations: {}, expected: true },
    { name: "one alone", annotations: { [requestsKey]: wanted[requestsKey] }, expected: true },
    {
      name: "other amounts",
      annotations: { ...wanted, [requestsKey]: '{"cpu":"2","pods":"1"}' },
      expected: true,
    },
    {
      name: "more of them",
      annotations: { ...wanted, [limitsKey]: '{"cpu":"1"}' },
      expected: true,
    },
    { name: "no JSON", annotations: { ...wanted, [limitsKey]: "x" }, expected: true },
  ]) {
    it(`is ${expected ? "due" : "not due"} for a node that tells ${name}`, () => {
      expect(nodePatch(node(annotations), wanted)).to.deep.equal(
        expected ? { metadata: { uid: "u", annotations: wanted } } : undefined,
      );
    });
  }
});

describe("nodesOf", () => {
  for (const { name, pod, expected } of [
    { name: "runs", pod: podOf({}, "Running"), expected: ["n"] },
    { name: "is about to", pod: podOf({}, "Pending"), expected: ["n"] },
    { name: "waits for a node", pod: podOf({ nodeName: "" }), expected: [] },
    { name: "has succeeded", pod: podOf({}, "Succeeded"), expected: [] },
    { name: "has failed", pod: podOf({}, "Failed"), expected: [] },
  ]) {
    it(`is ${expected.join() || "none"} for a Pod that ${name}`, () => {
      expect(nodesOf(pod)).to.deep.equal(expected);
    });
  }
});

describe("concerning", () => {
  const pod = podOf({ containers: [container(requests("1"))] }, "Pending");

  it("is the same while a Pod goes its way, and not when it ends or asks for more", () => {
    const image = podOf({ containers: [container(requests("1"), { image: "b" })] }, "Running");
    const more = podOf({ containers: [container(requests("2"))] }, "Running");

    expect(concerning(image)).to.deep.equal(concerning(pod));
    expect(concerning(more)).to.not.deep.equal(concerning(pod));
    expect(concerning({ ...pod, status: { phase: "Succeeded" } })).to.not.deep.equal(
      concerning(pod),
    );
  });
});
