import { aNode } from "@drover/crds/testing";
import { expect } from "chai";
import type { Node as CoreNode } from "kopf-ts/kinds";
import { isIgnored, isSynced, newNode, nodeOf, nodePatch, rolesOf } from "./desired.ts";

const time = "2026-01-01T00:00:00Z";
const heartbeat = (lastHeartbeatTime: string) => [
  {
    type: "Ready",
    status: "True" as const,
    reason: "KubeletReady",
    lastHeartbeatTime,
    lastTransitionTime: time,
  },
  { type: "MemoryPressure", status: "False" as const, lastHeartbeatTime },
];
const node: CoreNode = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "worker-1",
    creationTimestamp: time,
    labels: { "kubernetes.io/os": "linux" },
    annotations: {
      mine: "1",
      "management.cattle.io/pod-requests": '{"cpu":"100m","memory":"70Mi","pods":"3"}',
      "management.cattle.io/pod-limits": '{"cpu":"1"}',
    },
  },
  spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
  status: {
    capacity: { cpu: "4" },
    conditions: heartbeat("2026-01-01T00:05:00Z"),
    ...{ images: [{ names: ["x"] }], volumesInUse: ["v"], volumesAttached: [{ name: "v" }] },
  },
};

describe("newNode", () => {
  const made = newNode(node, "c-1");

  it("says what the node is", () => {
    expect(made.metadata).to.deep.equal({
      name: "machine-cmbj7hud2f",
      namespace: "c-1",
      labels: { "management.cattle.io/nodename": "worker-1" },
      annotations: { "management.cattle.io/nodesyncer": "true" },
    });
    expect(made.spec).to.deep.equal({
      etcd: false,
      controlPlane: false,
      worker: true,
      internalNodeSpec: node.spec,
      imported: true,
      requestedHostname: "worker-1",
    });
    expect(made.status).to.deep.include({
      nodeName: "worker-1",
      nodeLabels: { "kubernetes.io/os": "linux" },
      nodeAnnotations: { mine: "1" },
      nodeTaints: [{ key: "a", effect: "NoSchedule" }],
      requested: { cpu: "100m", memory: "70Mi", pods: "3" },
      limits: { cpu: "1" },
    });
  });

  it("keeps conditions without heartbeats, and drops what is long", () => {
    expect(made.status?.internalNodeStatus).to.deep.equal({
      capacity: { cpu: "4" },
      conditions: [
        { type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime: time },
        { type: "MemoryPressure", status: "False" },
      ],
    });
    expect(made.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).to.deep.equal([
      "Registered True",
      "Ready True",
    ]);
  });

  it("has a name that follows from the node, also from a long one", () => {
    const long = { ...node, metadata: { ...node.metadata, name: `${"x".repeat(80)}.test` } };
    const label = newNode(long, "c-1").metadata.labels?.["management.cattle.io/nodename"] ?? "";

    expect(newNode(node, "c-1").metadata.name).to.equal(made.metadata.name);
    expect(newNode(long, "c-1").metadata.name).to.not.equal(made.metadata.name);
    expect(label.length).to.be.at.most(63);
    expect(nodeOf(newNode(long, "c-1"))).to.equal(long.metadata.name);
  });

  for (const text of ["no JSON", "[]", "null", '{"cpu":"much","memory":{}}']) {
    it(`takes no amounts from ${text}`, () => {
      const annotations = { "management.cattle.io/pod-requests": text };
      const { status } = newNode({ ...node, metadata: { ...node.metadata, annotations } }, "c-1");

      expect(status?.requested).to.deep.equal({});
    });
  }
});

describe("nodePatch", () => {
  const made = newNode(node, "c-1");
  const stored = { ...made, metadata: { ...made.metadata, uid: "u-1", resourceVersion: "7" } };
  const changed = (change: Partial<CoreNode>): CoreNode => ({ ...node, ...change });

  it("is nothing for what is stored, nor for another heartbeat", () => {
    const later = { ...node.status, conditions: heartbeat("2026-01-01T09:00:00Z") };

    expect(nodePatch(stored, node)).to.equal(undefined);
    expect(nodePatch(stored, changed({ status: later }))).to.equal(undefined);
  });

  it("has what changed, and takes away what is gone, in the version that was looked at", () => {
    const metadata = { ...node.metadata, labels: { zone: "1" } };

    expect(nodePatch(stored, changed({ metadata, spec: { unschedulable: true } }))).to.deep.equal({
      metadata: { uid: "u-1", resourceVersion: "7" },
      spec: { internalNodeSpec: { taints: null, unschedulable: true } },
      status: { nodeLabels: { zone: "1", "kubernetes.io/os": null }, nodeTaints: [] },
    });
  });

  it("leaves what others say: labels, fields and conditions", () => {
    const theirs = {
      ...stored,
      metadata: { ...stored.metadata, labels: { ...stored.metadata.labels, theirs: "1" } },
      spec: { ...stored.spec, description: "mine" },
      status: {
        ...stored.status,
        conditions: [
          { type: "Drained", status: "True" as const },
          ...(stored.status?.conditions ?? []),
        ],
      },
    };

    expect(nodePatch(theirs, node)).to.equal(undefined);
  });

  it("puts back what somebody changed", () => {
    const bent = {
      ...stored,
      metadata: { ...stored.metadata, labels: {}, annotations: {} },
      status: { ...stored.status, requested: {} },
    };

    expect(nodePatch(bent, node)).to.deep.equal({
      metadata: {
        uid: "u-1",
        resourceVersion: "7",
        labels: { "management.cattle.io/nodename": "worker-1" },
        annotations: { "management.cattle.io/nodesyncer": "true" },
      },
      status: { requested: { cpu: "100m", memory: "70Mi", pods: "3" } },
    });
  });
});

describe("rolesOf", () => {
  for (const { roles, expected } of [
    { roles: [], expected: "worker" },
    { roles: ["worker"], expected: "worker" },
    { roles: ["etcd"], expected: "etcd" },
    { roles: ["control-plane"], expected: "controlPlane" },
    { roles: ["controlplane"], expected: "controlPlane" },
    { roles: ["master"], expected: "controlPlane" },
    { roles: ["etcd", "control-plane", "worker"], expected: "etcd controlPlane worker" },
    { roles: ["something-else"], expected: "worker" },
  ]) {
    it(`are ${expected} for labels ${roles.join(", ") || "of none"}`, () => {
      const labels = roles.map((role) => [`node-role.kubernetes.io/${role}`, "true"]);
      const found = Object.entries(rolesOf(Object.fromEntries(labels)));

      expect(found.flatMap(([role, has]) => (has ? [role] : [])).join(" ")).to.equal(expected);
    });
  }
});

describe("isIgnored", () => {
  for (const { setting, expected } of [
    { setting: "", expected: false },
    { setting: "a", expected: true },
    { setting: "b, a", expected: true },
    { setting: "ab,a-1", expected: false },
  ]) {
    it(`is ${expected} of node a for ${JSON.stringify(setting)}`, () => {
      expect(isIgnored("a", setting)).to.equal(expected);
    });
  }
});

describe("nodeOf", () => {
  for (const { name, fields, expected } of [
    { name: "its status", fields: { status: { nodeName: "a" } }, expected: "a" },
    {
      name: "its label",
      fields: { status: {}, metadata: { labels: { "management.cattle.io/nodename": "b" } } },
      expected: "b",
    },
    {
      name: "what was asked for",
      fields: { status: {}, spec: { requestedHostname: "c" } },
      expected: "c",
    },
    { name: "nothing", fields: { status: {}, spec: {} }, expected: undefined },
  ]) {
    it(`is known by ${name}`, () => {
      const machine = aNode(fields);

      expect(nodeOf(machine)).to.equal(expected);
      expect(isSynced(machine)).to.equal(false);
    });
  }
});
