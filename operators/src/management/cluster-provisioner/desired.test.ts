import type { Cluster } from "@drover/crds";
import { aCluster, aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { driverOf, isAdministrated, progressOf } from "./desired.ts";

const statuses = (cluster: Cluster) =>
  Object.fromEntries(progressOf(cluster).map(({ type, status }) => [type, status]));

describe("the progress of a cluster", () => {
  const known = { type: "Waiting", status: "False" } as const;
  const through = { Pending: "True", Provisioned: "True", Updated: "True" };
  const open = { Pending: "Unknown", Provisioned: "Unknown" };

  for (const { title, fields, expected } of [
    {
      title: "waits where nobody imported it",
      fields: {},
      expected: { Waiting: "Unknown", ...open },
    },
    {
      title: "goes straight through once it is imported",
      fields: { status: { driver: "imported" } },
      expected: { Waiting: "Unknown", ...through },
    },
    {
      title: "goes straight through for the server's own",
      fields: { spec: { internal: true } },
      expected: { Waiting: "Unknown", ...through },
    },
    {
      title: "leaves to the health check what it says",
      fields: { status: { driver: "k3s", conditions: [known] } },
      expected: through,
    },
    {
      title: "does not take back what was true",
      fields: { status: { conditions: [known, { type: "Provisioned", status: "True" }] } },
      expected: { Pending: "Unknown" },
    },
  ] as const) {
    it(title, () => expect(statuses(aCluster(fields))).to.deep.equal(expected));
  }

  const kubeconfig = { annotations: { "drover.dev/kubeconfig-secret": "prod" } };
  const refused = { reason: "ImportFailed", message: "nobody answers" };
  for (const { title, status, message } of [
    {
      title: "only that a kubeconfig is followed",
      status: {},
      message: "waiting for the import by the kubeconfig in Secret cattle-global-data/prod",
    },
    {
      title: "why a kubeconfig is not followed",
      status: { conditions: [{ type: "KubeconfigAccepted", status: "False", ...refused }] },
      message:
        "waiting for the import by the kubeconfig in Secret cattle-global-data/prod: nobody answers",
    },
  ] as const) {
    it(`tells ${title}`, () => {
      const told = progressOf(aCluster({ metadata: kubeconfig, status })).slice(1);

      expect(told.map((update) => update.message)).to.deep.equal([message, message]);
    });
  }

  for (const { title, spec, reason, message } of [
    {
      title: "how to import it",
      spec: { displayName: "x" },
      reason: "WaitingForImport",
      message: "waiting for full cluster configuration: run the command",
    },
    {
      title: "that nobody makes clusters of a cloud",
      spec: { eksConfig: { region: "eu" } },
      reason: "UnsupportedDriver",
      message: "nobody here carries out spec.eksConfig",
    },
  ]) {
    it(`tells ${title}`, () => {
      for (const update of progressOf(aCluster({ spec })).slice(1)) {
        expect(update.reason).to.equal(reason);
        expect(update.message).to.include(message);
      }
    });
  }
});

describe("the driver of a cluster", () => {
  const worker = aNode();
  const k3osNode = aNode({ status: { nodeLabels: { "k3os.io/mode": "local" } } });
  for (const { title, driver, version, nodes, expected } of [
    { title: "k3s", driver: "imported", version: "v1.33.1+k3s1", nodes: [worker], expected: "k3s" },
    {
      title: "k3s of its own",
      driver: "local",
      version: "v1.33.1+k3s1",
      nodes: [worker],
      expected: "k3s",
    },
    {
      title: "k3os",
      driver: "imported",
      version: "v1.20.4+k3s1",
      nodes: [worker, k3osNode],
      expected: "k3os",
    },
    {
      title: "rke2",
      driver: "imported",
      version: "v1.33.1+rke2r1",
      nodes: [worker],
      expected: "rke2",
    },
    {
      title: "rancherd",
      driver: "imported",
      version: "v1.21.0+rancherd1",
      nodes: [worker],
      expected: "rancherd",
    },
    {
      title: "any other",
      driver: "imported",
      version: "v1.35.0",
      nodes: [worker],
      expected: undefined,
    },
    {
      title: "without nodes",
      driver: "imported",
      version: "v1.33.1+k3s1",
      nodes: [],
      expected: undefined,
    },
    {
      title: "without version",
      driver: "imported",
      version: undefined,
      nodes: [worker],
      expected: undefined,
    },
    {
      title: "found out already",
      driver: "rke2",
      version: "v1.33.1+k3s1",
      nodes: [worker],
      expected: undefined,
    },
    {
      title: "not imported",
      driver: undefined,
      version: "v1.33.1+k3s1",
      nodes: [worker],
      expected: undefined,
    },
  ]) {
    it(`${expected === undefined ? "stays" : "changes"}: ${title}`, () => {
      const status = {
        ...(driver !== undefined && { driver }),
        ...(version !== undefined && { version: { gitVersion: version } }),
      };

      expect(driverOf(aCluster({ status }), nodes)).to.equal(expected);
    });
  }
});

describe("isAdministrated", () => {
  for (const [value, expected] of [
    ["true", true],
    ["false", false],
    [undefined, false],
  ] as const) {
    it(`is ${expected} for ${value}`, () => {
      const annotations = value && { "provisioning.cattle.io/administrated": value };

      expect(isAdministrated(aCluster({ metadata: annotations ? { annotations } : {} }))).to.equal(
        expected,
      );
    });
  }
});
