import type { Node, NodeSpec, NodeStatus } from "@drover/crds";
import { aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { summed } from "./desired.ts";
import { Pauses } from "./pauses.ts";

const taint = (role: string, effect = "NoSchedule") => ({
  taints: [{ key: `node-role.kubernetes.io/${role}`, effect }],
});
const amounts = { cpu: "2", memory: "1Gi", pods: "110" };
const node = (spec: NodeSpec, status: NodeStatus = {}): Node =>
  aNode({ spec, status: { internalNodeStatus: { capacity: amounts }, ...status } });
const capacityOf = (...nodes: readonly Node[]) => summed(nodes).fields.capacity;
const none = { cpu: "0", memory: "0", pods: "0" };

describe("the nodes that count", () => {
  for (const { title, spec, counts } of [
    { title: "a worker", spec: { worker: true }, counts: true },
    {
      title: "a worker that is tainted as a control plane, too",
      spec: { worker: true, controlPlane: true, internalNodeSpec: taint("control-plane") },
      counts: true,
    },
    {
      title: "a control plane that nothing keeps Pods from",
      spec: { controlPlane: true },
      counts: true,
    },
    {
      title: "a control plane with a taint of somebody's",
      spec: {
        controlPlane: true,
        internalNodeSpec: { taints: [{ key: "gpu", effect: "NoSchedule" }] },
      },
      counts: true,
    },
    {
      title: "a control plane that would rather have no Pods",
      spec: { controlPlane: true, internalNodeSpec: taint("control-plane", "PreferNoSchedule") },
      counts: true,
    },
    ...["controlplane", "control-plane", "etcd", "master"].map((role) => ({
      title: `one reserved for ${role}`,
      spec: { etcd: true, internalNodeSpec: taint(role) },
      counts: false,
    })),
    {
      title: "one from which Pods are evicted",
      spec: { etcd: true, internalNodeSpec: taint("etcd", "NoExecute") },
      counts: false,
    },
    {
      title: "a worker that somebody cordoned",
      spec: { worker: true, internalNodeSpec: { unschedulable: true } },
      counts: false,
    },
  ]) {
    it(`${counts ? "include" : "leave out"} ${title}`, () => {
      const { fields } = summed([node(spec)]);

      expect(fields.capacity).to.deep.equal(counts ? amounts : none);
      expect(fields.nodeCount).to.equal(1);
    });
  }
});

describe("the sums of a cluster", () => {
  it("are exact, in Kubernetes' own units", () => {
    const small = { cpu: "1500m", memory: "512Mi", pods: 10 };
    const other = node({ worker: true }, { internalNodeStatus: { capacity: small } });

    expect(capacityOf(node({ worker: true }), other, other)).to.deep.equal({
      cpu: "5",
      memory: "2Gi",
      pods: "130",
    });
  });

  it("take each from where it is told, and nothing for what is not", () => {
    const status = {
      internalNodeStatus: { capacity: amounts, allocatable: { cpu: "1", "nvidia.com/gpu": "1" } },
      requested: { cpu: "250m", pods: "3" },
    };

    expect(summed([node({ worker: true }, status)]).fields).to.deep.equal({
      nodeCount: 1,
      linuxWorkerCount: 0,
      windowsWorkerCount: 0,
      capacity: amounts,
      allocatable: { cpu: "1", memory: "0", pods: "0" },
      requested: { cpu: "250m", memory: "0", pods: "3" },
      limits: none,
    });
  });

  it("are 0 without nodes, and nothing presses", () => {
    const { fields, told } = summed([]);

    expect(fields).to.include({ nodeCount: 0, linuxWorkerCount: 0, windowsWorkerCount: 0 });
    expect(fields.capacity).to.deep.equal(none);
    expect(told.map(({ type, status }) => `${type}=${status}`)).to.deep.equal([
      "NoDiskPressure=True",
      "NoMemoryPressure=True",
    ]);
  });

  it("count workers by their system", () => {
    const on = (os: string, spec: NodeSpec = { worker: true }) =>
      node(spec, { nodeLabels: { "kubernetes.io/os": os } });

    const { fields } = summed([
      on("linux"),
      on("linux"),
      on("windows"),
      on("linux", { etcd: true }),
    ]);

    expect(fields).to.include({ linuxWorkerCount: 2, windowsWorkerCount: 1, nodeCount: 4 });
  });

  it("wait while a node has no role, and only count", () => {
    const { fields, told } = summed([node({ worker: true }), node({}, { nodeName: "new-1" })]);

    expect(fields).to.deep.equal({ nodeCount: 2 });
    for (const { status, reason, message } of told) {
      expect({ status, reason }).to.deep.equal({ status: "Unknown", reason: "NodesNotSynced" });
      expect(message).to.equal("waiting until the roles of new-1 are known");
    }
  });
});

describe("pressure", () => {
  const pressed = (type: string, nodeName: string, spec: NodeSpec = { worker: true }) =>
    node(spec, { nodeName, internalNodeStatus: { conditions: [{ type, status: "True" }] } });

  for (const { kind, type, text } of [
    { kind: "DiskPressure", type: "NoDiskPressure", text: "disk" },
    { kind: "MemoryPressure", type: "NoMemoryPressure", text: "memory" },
  ]) {
    it(`of ${text} is told with the names of the nodes`, () => {
      const nodes = ["d", "c", "b", "a"].map((name) => pressed(kind, name));

      const told = summed(nodes).told.filter(({ status }) => status === "False");

      expect(told).to.deep.equal([
        { type, status: "False", reason: kind, message: `short of ${text}: a, b, c and 1 more` },
      ]);
    });
  }

  it("of a node that takes no workloads is none of the cluster's", () => {
    const cordoned = { worker: true, internalNodeSpec: { unschedulable: true } };

    const { told } = summed([pressed("DiskPressure", "a", cordoned)]);

    expect(told.map(({ status }) => status)).to.deep.equal(["True", "True"]);
  });

  it("that has ended is none", () => {
    const ended = { conditions: [{ type: "DiskPressure", status: "False" }] };

    const { told } = summed([node({ worker: true }, { internalNodeStatus: ended })]);

    expect(told.map(({ status }) => status)).to.deep.equal(["True", "True"]);
  });
});

describe("the pause between two sums", () => {
  it("begins with a turn, and ends with the next; each cluster has its own", () => {
    const pauses = new Pauses(10_000);

    expect(pauses.wait("a", 0)).to.equal(0);
    expect(pauses.wait("a", 4_000)).to.equal(6_000);
    expect(pauses.wait("b", 4_000)).to.equal(0);
    expect(pauses.wait("a", 10_000)).to.equal(0);
    expect(pauses.wait("a", 10_001)).to.equal(9_999);
  });

  it("is over for a cluster that is gone", () => {
    const pauses = new Pauses(10_000);
    pauses.wait("a", 0);

    pauses.forget("a");

    expect(pauses.wait("a", 1)).to.equal(0);
  });
});
