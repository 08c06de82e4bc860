import { dataNamespace } from "@drover/crds";
import { settings } from "@drover/platform";
import { expect } from "chai";
import { earlyNamespaces, isSystemNamespace, missingLabels, newNamespace } from "./desired.ts";

const managed = { "app.kubernetes.io/managed-by": "rancher" };

describe("system namespaces", () => {
  it("are thirteen, the marker among them but not among the early ones", () => {
    expect([...earlyNamespaces, dataNamespace].every(isSystemNamespace)).to.equal(true);
    expect(new Set([...earlyNamespaces, dataNamespace]).size).to.equal(13);
    expect(earlyNamespaces).to.not.include(dataNamespace);
  });

  it("are none of the third parties that the setting names", () => {
    const named = settings["system-namespaces"].default.split(",");

    expect(named.filter((name) => /istio|calico|tigera|ingress|cert|capi|turtles|kube-/.test(name)))
      .to.have.length(11)
      .and.satisfy((names: readonly string[]) => !names.some(isSystemNamespace));
  });

  for (const { title, name, labels, expected } of [
    { title: "an early one without", name: "fleet-local", labels: {}, expected: managed },
    {
      title: "one with another owner",
      name: "cattle-system",
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      expected: managed,
    },
    {
      title: "one that has them and others",
      name: "cattle-system",
      labels: { ...managed, mine: "yes" },
      expected: undefined,
    },
    { title: "one that needs none", name: "cattle-tokens", labels: {}, expected: undefined },
    { title: "somebody else's", name: "default", labels: {}, expected: undefined },
  ]) {
    it(`misses the right labels on ${title}`, () => {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };

      expect(missingLabels(namespace)).to.deep.equal(expected);
    });
  }

  it("have all their labels when they are made", () => {
    expect(
      [...earlyNamespaces, dataNamespace].map((name) => missingLabels(newNamespace(name))),
    ).to.deep.equal(Array.from({ length: 13 }, () => undefined));
  });
});
