import { aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { labelPatch, providerOf } from "./desired.ts";

const plain = aNode();
const withLabel = (key: string) => aNode({ status: { nodeName: "n", nodeLabels: { [key]: "x" } } });

describe("providerOf", () => {
  for (const { name, gitVersion = "v1.35.0", nodes = [plain], expected } of [
    { name: "plain Kubernetes", expected: undefined },
    { name: "no version", gitVersion: "", nodes: [], expected: undefined },
    { name: "K3s", gitVersion: "v1.35.0+k3s1", expected: "k3s" },
    { name: "RKE2", gitVersion: "v1.35.0+rke2r1", expected: "rke2" },
    { name: "EKS", gitVersion: "v1.35.0-eks-1234567", expected: "eks" },
    { name: "GKE", gitVersion: "v1.35.0-gke.100", expected: "gke" },
    { name: "AKS", nodes: [plain, withLabel("kubernetes.azure.com/cluster")], expected: "aks" },
    { name: "minikube", nodes: [withLabel("minikube.k8s.io/name")], expected: "minikube" },
    {
      name: "Docker Desktop",
      nodes: [aNode({ status: { nodeName: "docker-desktop" } })],
      expected: "docker",
    },
    {
      name: "RKE",
      nodes: [aNode({ status: { nodeAnnotations: { "rke.cattle.io/internal-ip": "10.0.0.1" } } })],
      expected: "rke",
    },
    {
      name: "Harvester, which is built upon RKE2",
      gitVersion: "v1.35.0+rke2r1",
      nodes: [withLabel("harvesterhci.io/managed")],
      expected: "harvester",
    },
  ]) {
    it(`is ${expected ?? "unknown"} for ${name}`, () => {
      expect(providerOf({ gitVersion, nodes })).to.equal(expected);
    });
  }
});

describe("labelPatch", () => {
  it("is due where the label is missing or another", () => {
    const due = { labels: { "provider.cattle.io": "k3s" } };

    expect(labelPatch(undefined, "provider.cattle.io", "k3s")).to.deep.equal(due);
    expect(labelPatch({ "provider.cattle.io": "x" }, "provider.cattle.io", "k3s")).to.deep.equal(
      due,
    );
    expect(labelPatch(due.labels, "provider.cattle.io", "k3s")).to.equal(undefined);
  });
});
