/** Custom resources with random conditions, phases and numbers: of kinds for which Steve has rules of their own, and of one for which it has none. */

import { defineKind, type Kind, type KubeObject } from "kopf-ts";
import { type Random, seededRandom } from "kopf-ts/testing";

type Manifest = KubeObject & Readonly<Record<string, unknown>>;

const perKind = 25;
const namespace = "alpha";

function kind(group: string, version: string, name: string): Kind {
  const plural = `${name.toLowerCase()}s`;
  return defineKind({ group, version, plural, kind: name, scope: "Namespaced" });
}

/** The kinds; not those of operation.cattle.io, of which this version of Steve knows nothing yet. */
export const statedKinds: readonly Kind[] = [
  kind("cluster.x-k8s.io", "v1beta2", "Machine"),
  kind("cluster.x-k8s.io", "v1beta2", "MachineSet"),
  kind("cluster.x-k8s.io", "v1beta2", "MachineDeployment"),
  kind("cluster.x-k8s.io", "v1beta2", "Cluster"),
  kind("helm.cattle.io", "v1", "HelmChart"),
  kind("catalog.cattle.io", "v1", "App"),
  kind("peer.example.com", "v1", "Thing"),
];

/** Their names in URLs. */
export const statedTypes: readonly string[] = statedKinds.map(
  ({ group, plural }) => `${group}.${plural}`,
);

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** What lets the API server take them as they are. */
export const statedCrds: readonly Manifest[] = statedKinds.map((each) => {
  const { group, version: name, plural, kind } = each;
  const properties = { spec: anything, status: anything };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { plural, singular: kind.toLowerCase(), kind } },
      versions: [{ name, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
});

/** The same ones in every run. */
export function statedObjects(): readonly Manifest[] {
  const random = seededRandom(11);
  return statedKinds.flatMap(({ group, version, kind }) =>
    Array.from({ length: perKind }, (_, index) => ({
      ...{ apiVersion: `${group}/${version}`, kind, ...bodyOf(random) },
      metadata: { name: `stated-${index}`, namespace, ...annotations(random) },
    })),
  );
}

const types = [
  ...["Active", "Provisioned", "Initialized", "Ready", "Available", "Completed", "Reconciling"],
  ...["Stalled", "Failed", "NodeHealthy", "ScalingUp", "ScalingDown", "Deleting", "Paused"],
  ...["RollingOut", "Reconciled", "MachinesReady", "BootstrapConfigReady", "InfrastructureReady"],
  ...["Succeeded", "Canceled", "InProgress", "Pending", "Updated", "JobCreated", "Other"],
] as const;
const messages = [
  ...["", "hello", " hello ", "1 of 2 completed", "* Foo:", "Drain not completed yet (x)"],
  "* BootstrapConfigReady: status.initialization.dataSecretCreated is false",
  ...["* InfrastructureReady: 3 of 7 completed", "* InfrastructureReady: waiting"],
  ...["* NodeHealthy:\n  * Sub: deep detail", "* RemoteConnectionProbe: no"],
  ...["* ControlPlaneAvailable: c", "* MachineDeployment: zz", "* MachineDeployments x"],
] as const;

function condition(random: Random): object {
  return {
    type: random.pick(types),
    status: random.pick(["True", "False", "Unknown"]),
    reason: random.pick(["Error", "Whatever", ""]),
    message: random.pick(messages),
    lastTransitionTime: "2026-01-02T03:04:05Z",
  };
}

function conditions(random: Random): readonly object[] {
  return Array.from({ length: random.below(4) }, () => condition(random));
}

function annotations(random: Random): object {
  if (!random.chance(0.15)) return {};
  const text = JSON.stringify({ conditions: conditions(random) });
  return { annotations: { "cattle.io/status": random.pick(["{", "[]", text]) } };
}

/** Numbers under some of the names. */
function numbers(random: Random, ...names: readonly string[]): object {
  const some = names.filter(() => random.chance(0.5));
  return Object.fromEntries(some.map((name) => [name, random.below(4)]));
}

function sometimes(random: Random, chance: number, value: object): object {
  return random.chance(chance) ? value : {};
}

function bodyOf(random: Random): { readonly spec: object; readonly status: object } {
  const replicas = ["replicas", "readyReplicas", "upToDateReplicas"];
  return {
    spec: {
      ...numbers(random, "replicas"),
      ...sometimes(random, 0.1, { active: random.chance(0.5) }),
    },
    status: {
      ...numbers(random, ...replicas),
      ...sometimes(random, 0.5, { workers: numbers(random, "desiredReplicas", ...replicas) }),
      ...sometimes(random, 0.8, { conditions: conditions(random) }),
      ...sometimes(random, 0.3, { phase: random.pick(["Bound", "Succeeded", "Strange"]) }),
      ...sometimes(random, 0.3, { observedGeneration: 1 + random.below(2) }),
      ...sometimes(random, 0.1, { display: random.pick([{}, { state: "Foo", error: true }]) }),
      ...sometimes(random, 0.1, { summary: { state: "deployed", transitioning: "true" } }),
    },
  };
}
