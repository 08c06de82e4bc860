import { expect } from "chai";
import type { ObjectMeta } from "kopf-ts";
import { marksOf, refTo, setIndex } from "kopf-ts";
import { Namespace, type NetworkPolicy, type Node, type Pod, type Service } from "kopf-ts/kinds";
import {
  type Around,
  addressOf,
  isExposed,
  isOpen,
  isOurs,
  maybeOurs,
  memberOf,
  podNameOf,
  policiesOf,
} from "./desired.ts";

const aService = (name: string, spec: Service["spec"]): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "shop" },
  ...(spec !== undefined && { spec }),
});
const around = (fields: Partial<Around> = {}): Around => ({
  project: "p-1",
  system: "p-system",
  nodes: [],
  services: [],
  pods: [],
  hasOthers: false,
  ...fields,
});
const specs = (policies: readonly NetworkPolicy[]) =>
  Object.fromEntries(policies.map(({ metadata, spec }) => [metadata.name, spec]));
const from = (...projects: readonly string[]) => ({
  podSelector: {},
  ingress: [
    {
      from: projects.map((project) => ({
        namespaceSelector: { matchLabels: { "field.cattle.io/projectId": project } },
      })),
    },
  ],
  policyTypes: ["Ingress"],
});

describe("policiesOf", () => {
  it("let in the same project and the System project", () => {
    const [policy, ...others] = policiesOf("shop", around());

    expect(policy?.metadata).to.deep.equal({
      name: "np-default",
      namespace: "shop",
      labels: { "cattle.io/creator": "norman", "field.cattle.io/projectId": "p-1" },
    });
    expect(policy?.spec).to.deep.equal(from("p-1", "p-system"));
    expect(others).to.deep.equal([]);
  });

  it("make do without a System project", () => {
    expect(specs(policiesOf("shop", around({ system: undefined })))).to.deep.equal({
      "np-default": from("p-1"),
    });
  });

  it("let everything in and out in the System project, unless people have policies there", () => {
    const system = around({ project: "p-system", nodes: ["10.42.0.0/32"] });

    expect(specs(policiesOf("kube-system", system))).to.deep.equal({
      "np-default-allow-all": {
        podSelector: {},
        ingress: [{}],
        egress: [{}],
        policyTypes: ["Ingress", "Egress"],
      },
    });
    expect(policiesOf("kube-system", { ...system, hasOthers: true })).to.deep.equal([]);
  });

  it("let in the nodes", () => {
    const found = specs(policiesOf("shop", around({ nodes: ["10.42.0.0/32", "fd00::/128"] })));

    expect(found["hn-nodes"]?.ingress).to.deep.equal([
      { from: [{ ipBlock: { cidr: "10.42.0.0/32" } }, { ipBlock: { cidr: "fd00::/128" } }] },
    ]);
  });

  it("let everybody reach the ports that a Service opens on the nodes, and no others", () => {
    const service = aService("web", {
      selector: { app: "web" },
      ports: [
        { port: 80, targetPort: 8080, nodePort: 30080 },
        { port: 53, protocol: "UDP", targetPort: "dns", nodePort: 30053 },
        { port: 443, nodePort: 30443 },
        { port: 9090 },
      ],
    });

    expect(specs(policiesOf("shop", around({ services: [service] })))["np-web"]).to.deep.equal({
      podSelector: { matchLabels: { app: "web" } },
      ingress: [
        {
          ports: [
            { protocol: "TCP", port: 8080 },
            { protocol: "UDP", port: "dns" },
            { protocol: "TCP", port: 443 },
          ],
        },
      ],
      policyTypes: ["Ingress"],
    });
  });

  it("open nothing for a Service that selects nothing", () => {
    const service = aService("web", { ports: [{ port: 80, nodePort: 30080 }] });

    expect(Object.keys(specs(policiesOf("shop", around({ services: [service] }))))).to.deep.equal([
      "np-default",
    ]);
  });

  it("tell a Service called default from the namespace's own policy", () => {
    const ports = [{ port: 80, nodePort: 30080 }];
    const services = ["default", "default-allow-all", "service-default"].map((name) =>
      aService(name, { selector: { app: name }, ports }),
    );

    expect(Object.keys(specs(policiesOf("shop", around({ services }))))).to.deep.equal([
      "np-default",
      "np.default",
      "np.default-allow-all",
      "np-service-default",
    ]);
  });
});

describe("Pods with ports on their node", () => {
  const aPod = (spec: Pod["spec"], metadata: Partial<ObjectMeta> = {}): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-0", namespace: "shop", ...metadata },
    ...(spec !== undefined && { spec }),
  });
  const containers = [
    { name: "a", ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }] },
    { name: "b", ports: [{ containerPort: 53, hostPort: 53, protocol: "UDP" }] },
  ] as const;

  it("are open to everybody at these", () => {
    const found = specs(policiesOf("shop", around({ pods: [aPod({ containers })] })));

    expect(found["hp-web-0"]).to.deep.equal({
      podSelector: { matchLabels: { "field.cattle.io/podName": "web-0" } },
      ingress: [
        {
          ports: [
            { protocol: "TCP", port: 80 },
            { protocol: "UDP", port: 53 },
          ],
        },
      ],
      policyTypes: ["Ingress"],
    });
  });

  it("are selected by a label that is no longer than labels may be", () => {
    const name = "x".repeat(100);

    expect(podNameOf(aPod(undefined, { name }))).to.have.length(63);
  });

  for (const { name, pod, expected } of [
    { name: "one with such a port", pod: aPod({ containers }), expected: true },
    {
      name: "one without",
      pod: aPod({ containers: [{ name: "a", ports: [{ containerPort: 1 }] }] }),
      expected: false,
    },
    {
      name: "one in its node's network",
      pod: aPod({ containers, hostNetwork: true }),
      expected: false,
    },
    {
      name: "one that is going",
      pod: aPod({ containers }, { deletionTimestamp: "x" }),
      expected: false,
    },
    { name: "one without containers", pod: aPod(undefined), expected: false },
  ]) {
    it(`are told apart: ${name}`, () => expect(isExposed(pod)).to.equal(expected));
  }
});

describe("isOpen", () => {
  it("is about ports on nodes", () => {
    expect(isOpen(aService("a", { ports: [{ port: 1 }, { port: 2, nodePort: 30000 }] }))).to.equal(
      true,
    );
    expect(isOpen(aService("a", { ports: [{ port: 1, nodePort: 0 }] }))).to.equal(false);
    expect(isOpen(aService("a", undefined))).to.equal(false);
  });
});

describe("addressOf", () => {
  const aNode = (spec: Node["spec"], annotations: Readonly<Record<string, string>> = {}): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", annotations },
    ...(spec !== undefined && { spec }),
  });
  const ipip = "projectcalico.org/IPv4IPIPTunnelAddr";
  const vxlan = "projectcalico.org/IPv4VXLANTunnelAddr";

  for (const { name, node, expected } of [
    { name: "the pod network", node: aNode({ podCIDR: "10.42.1.0/24" }), expected: "10.42.1.0/32" },
    { name: "one of IPv6", node: aNode({ podCIDR: "fd00:1::/64" }), expected: "fd00:1::/128" },
    {
      name: "a tunnel",
      node: aNode({ podCIDR: "10.42.1.0/24" }, { [vxlan]: "10.1.0.1" }),
      expected: "10.1.0.1/32",
    },
    {
      name: "the first of two tunnels",
      node: aNode({}, { [vxlan]: "10.1.0.1", [ipip]: "10.2.0.1" }),
      expected: "10.2.0.1/32",
    },
    { name: "nothing", node: aNode(undefined), expected: undefined },
    { name: "what is no address", node: aNode({ podCIDR: "many/24" }), expected: undefined },
  ]) {
    it(`is ${expected} for a node with ${name}`, () => expect(addressOf(node)).to.equal(expected));
  }
});

describe("isOurs", () => {
  const set = { id: "drover-network-policies" };
  const norman = { "cattle.io/creator": "norman" };
  const aPolicy = (metadata: Partial<ObjectMeta>): NetworkPolicy => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "mine", namespace: "shop", ...metadata },
  });
  const marked = (id = set.id): Partial<ObjectMeta> => {
    const { hash, annotations } = marksOf({ id, owner: refTo(Namespace, "shop") });
    return { labels: { [setIndex.name]: hash }, annotations };
  };
  const owner = (kind: string) => [{ apiVersion: "v1", kind, name: "web", uid: "1" }];

  for (const { name, metadata, expected } of [
    { name: "what we marked", metadata: marked(), expected: true },
    {
      name: "what we marked and somebody relabelled",
      metadata: { annotations: marked().annotations ?? {} },
      expected: true,
    },
    {
      name: "what another concern marked",
      metadata: { ...marked("x"), name: "np-default" },
      expected: false,
    },
    {
      name: "Rancher's np-default",
      metadata: { name: "np-default", labels: norman },
      expected: true,
    },
    { name: "Rancher's hn-nodes", metadata: { name: "hn-nodes", labels: norman }, expected: true },
    {
      name: "Rancher's for a Service",
      metadata: { name: "np-web", labels: norman, ownerReferences: owner("Service") },
      expected: true,
    },
    {
      name: "Rancher's for a Pod",
      metadata: { name: "hp-web", labels: norman, ownerReferences: owner("Pod") },
      expected: true,
    },
    {
      name: "what people made through Rancher",
      metadata: { name: "np-web", labels: norman },
      expected: false,
    },
    { name: "what only has a name of ours", metadata: { name: "np-default" }, expected: false },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(isOurs(aPolicy(metadata), set)).to.equal(expected);
      if (expected) expect(maybeOurs(aPolicy(metadata))).to.equal(true);
    });
  }
});

describe("memberOf", () => {
  it("is the key of the project", () => {
    const metadata = { name: "shop", annotations: { "field.cattle.io/projectId": "c-1:p-1" } };

    expect(memberOf({ apiVersion: "v1", kind: "Namespace", metadata })).to.deep.equal(["c-1/p-1"]);
  });
});
